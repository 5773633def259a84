-- table.insert, remove, concat and their errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local t = { 1, 2, 3 }
table.insert(t, 4)
table.insert(t, 1, 0)
print(table.concat(t, ","))
print(table.remove(t), table.remove(t, 1), table.concat(t, ","))
print(table.remove({}), #t, table.concat({}, ","), table.concat({ 1, 2, 3 }, "-", 2, 3), table.concat({ 1, "a", 2.5 }))
try("insert position", table.insert, { 1 }, 5, 1)
try("insert zero", table.insert, { 1 }, 0, 1)
try("insert count", table.insert, { 1 }, 1, 2, 3)
try("insert none", table.insert, { 1 })
try("remove position", table.remove, { 1, 2 }, 5)
try("concat nil", table.concat, { 1, nil, 3 }, ",", 1, 3)
try("concat table", table.concat, { {} })
try("concat type", table.concat, 1)
