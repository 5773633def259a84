-- os.loadAPI and unloadAPI.

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

local file = fs.open("probe_api.lua", "w")
file.write("value = 5 local hidden = 6 function get() return value end")
file.close()
print(os.loadAPI("probe_api.lua"))
print(type(probe_api), probe_api.value, probe_api.get(), probe_api.hidden)
print(keys_of(probe_api))
os.unloadAPI("probe_api")
print(probe_api)
fs.delete("probe_api.lua")
os.unloadAPI("not_there")
try("path", os.loadAPI)
try("name", os.unloadAPI)
