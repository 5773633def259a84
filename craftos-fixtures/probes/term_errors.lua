-- term: what its functions say about wrong arguments.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, case in ipairs({
    { "setCursorPos" }, { "setCursorPos", 1 }, { "setCursorPos", "a", 1 }, { "setCursorBlink" }, { "setCursorBlink", 5 },
    { "setTextColor" }, { "setTextColor", "x" }, { "setBackgroundColor" }, { "scroll" }, { "scroll", "x" },
    { "getPaletteColor" },
    { "nativePaletteColor" }, { "redirect" }, { "redirect", 5 },
}) do
    try(table.concat(case, " "), term[case[1]], table.unpack(case, 2))
end
