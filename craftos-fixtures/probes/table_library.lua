-- The names in the libraries of Lua.

--- Lists the keys of a table in order.
local function keys_of(tbl)
    local names = {}
    for name in pairs(tbl) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return table.concat(names, " ")
end

for _, name in ipairs({ "string", "table", "math", "coroutine", "bit32", "bit", "utf8" }) do
    -- Bytecode is not promised: string.dump may be missing.
    print(name, (keys_of(_G[name]):gsub("dump ", "")))
end
