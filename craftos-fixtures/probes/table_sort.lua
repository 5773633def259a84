-- table.sort: orders, comparators, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local t = { 5, 2, 8, 1 }
table.sort(t)
print(table.concat(t, " "))
table.sort(t, function(a, b) return a > b end)
print(table.concat(t, " "))
local words = { "pear", "Apple", "fig", "apple" }
table.sort(words)
print(table.concat(words, " "))
try("mixed", table.sort, { 1, "a" })
try("not a function", table.sort, { 1, 2 }, 5)
try("none", table.sort)
