-- The functions of each API.

--- Lists the keys of a table in order.
local function keys_of(tbl)
    local names = {}
    for name in pairs(tbl) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return table.concat(names, " ")
end

for _, name in ipairs({
    "colors", "colours", "disk", "fs", "gps", "help", "io", "os", "paintutils", "parallel", "peripheral",
    "rednet", "redstone", "settings", "textutils", "vector", "window",
}) do
    print(name, keys_of(_G[name]))
end
