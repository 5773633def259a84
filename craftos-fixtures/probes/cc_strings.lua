-- cc.strings: wrap, ensure_width, split.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local strings = require("cc.strings")
local function show(lines)
    for index, line in ipairs(lines) do lines[index] = "[" .. line .. "]" end
    print(#lines, table.concat(lines, " "))
end
for _, text in ipairs({ "", "word", "two words", "a longer text with words", "averyveryverylongword", "x averyveryverylongword", "line\nbreak", "\n", "a\n\nb", "trailing   ", "   leading", "many    blanks   here", "tab\there", "exact fit!", "exact fit! x" }) do
    show(strings.wrap(text, 10))
end
print("[" .. strings.ensure_width("abc", 5) .. "]", "[" .. strings.ensure_width("abcdef", 3) .. "]", "[" .. strings.ensure_width("", 2) .. "]")
show(strings.split("a,b,,c", ","))
show(strings.split("a1b22c", "%d+"))
show(strings.split("a.b.c", ".", true))
show(strings.split("a.b.c", ".", true, 2))
show(strings.split("", ","))
try("wrap", strings.wrap)
try("width", strings.wrap, "x", 0)
try("ensure", strings.ensure_width, "x", "y")
try("split", strings.split, "x")
try("empty", strings.split, "x", "")
try("limit", strings.split, "x", ",", false, "y")
