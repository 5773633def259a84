-- print and write: how many lines they say they began.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local screen = window.create(term.current(), 1, 1, 10, 5, false)
local results = {}
local previous = term.redirect(screen)
for _, text in ipairs({ "", "x", "hello world", "a\nb", "\n", ("x"):rep(25), "one two three four" }) do
    term.setCursorPos(1, 1)
    results[#results + 1] = write(text)
    term.setCursorPos(1, 1)
    results[#results + 1] = _G.print(text)
end
results[#results + 1] = _G.print()
results[#results + 1] = _G.print(1, nil, true, "x")
local last = screen.getLine(3)
term.redirect(previous)
print(table.concat(results, " "))
try("write nil", write)
try("write table", write, {})
try("write true", write, true)
print(pcall(_G.write, 5))
