-- Strings as numbers and numbers as strings.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print("10" + 5, "3" * "4", 10 .. 20, "0x10" + 0, " 5 " + 1)
print(10 == "10", "abc" < "abd", "Z" < "a", "" < "a")
print(tostring(1e15), tostring(1e16), tostring(0.1), tostring(100), tostring(-0.5), tostring(1e100))
print(2 ^ 53, 2 ^ 63, 1 / 3, 123456789012, 1e300 * 1e10)
try("add", function() return "a" + 1 end)
try("compare", function() return 1 < "2" end)
try("compare nil", function() return nil < 1 end)
try("compare tables", function() return {} < {} end)
