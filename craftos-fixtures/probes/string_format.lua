-- string.format: conversions, widths, and its errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, case in ipairs({
    { "%d", 3 }, { "%5d|", 42 }, { "%-5d|", 42 }, { "%05d", 42 }, { "%+d", 7 }, { "%x", 255 }, { "%X", 255 },
    { "%o", 8 }, { "%c", 65 }, { "%5.2f", 3.14159 }, { "%e", 12345.678 }, { "%g", 0.0001 }, { "%g", 1e20 },
    { "%s", nil }, { "%s", true }, { "%10s|", "hi" }, { "%-10s|", "hi" }, { "%.2s", "hello" }, { "%%" },
    { "%i", 9 }, { "%u", 9 }, { "%5s%5s", "a", "b" }, { "%a", 1 },
}) do
    try(case[1], string.format, case[1], case[2], case[3])
end
try("fraction", string.format, "%d", 3.5)
try("missing", string.format, "%d")
try("text", string.format, "%d", "x")
try("numeral", string.format, "%d", "10")
try("invalid", string.format, "%y", 1)
try("long", string.format, "%123d", 1)
try("table", string.format, "%s", setmetatable({}, { __tostring = function() return "shown" end }))
