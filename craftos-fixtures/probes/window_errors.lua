-- window: what its methods say about wrong arguments.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

--- Lists the keys of a table in order.
local function keys_of(tbl)
    local names = {}
    for name in pairs(tbl) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return table.concat(names, " ")
end

local w = window.create(term.current(), 1, 1, 4, 2, false)
for _, case in ipairs({
    { "setCursorPos" }, { "setCursorPos", 1 }, { "setCursorPos", "a", 1 }, { "setCursorBlink" }, { "setTextColor" }, { "setTextColor", "x" },
    { "setTextColor", 65536 }, { "setTextColor", -1 }, { "setTextColor", 1.5 }, { "setBackgroundColor" }, 
    { "scroll" }, { "blit" }, { "blit", "a" }, { "blit", "a", "b" }, { "blit", "ab", "0", "f" }, { "blit", "a", "zz", "f" }, { "getLine" }, { "getLine", 0 }, { "getLine", 3 },
    { "setVisible" }, { "reposition" }, { "reposition", 1 }, { "reposition", 1, 1, 1 }, { "getPaletteColor" }, { "setPaletteColor", 1 }, { "setPaletteColor", 1, "x" },
}) do
    try(table.concat(case, " "), w[case[1]], table.unpack(case, 2))
end
print(keys_of(w):find("getLine") ~= nil)
try("parent term", window.create, term, 1, 1, 1, 1)
try("zero size", function() return window.create(term.current(), 1, 1, 0, 0, false).getSize() end)
