-- table.pack, unpack, select and varargs keep nils.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local packed = table.pack(1, nil, 3, nil)
print(packed.n, packed[1], packed[2], packed[3])
print(table.unpack({ 1, 2, 3 }))
print(table.unpack({ 1, 2, 3 }, 2))
print(table.unpack({ 1, nil, 3 }, 1, 3))
print(select("#"), select("#", nil, nil), select(2, "a", "b", "c"), select(-1, "a", "b", "c"))
print((select(2, "a", "b")))
print(unpack == table.unpack, unpack ~= nil)
try("select zero", select, 0)
try("select far", select, -5, 1)
try("unpack many", table.unpack, {}, 1, 1e8)
local function count(...) return select("#", ...) end
print(count(nil), count(), count(table.unpack({}, 1, 3)))
