-- vector: operators, methods, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local a, b = vector.new(1, 2, 3), vector.new(4, 5, 6)
print(tostring(a + b), tostring(b - a), tostring(a * 2), tostring(b / 2), tostring(-a))
print(a:dot(b), tostring(a:cross(b)), a:length(), tostring(vector.new(3, 4, 0):normalize()))
print(tostring(vector.new(1.26, -1.26, 0.5):round()), tostring(vector.new(1.26, -1.26, 0.5):round(0.1)))
print(a == vector.new(1, 2, 3), a == b, a:equals(vector.new(1, 2, 3)), a ~= b)
print(tostring(vector.new()), tostring(vector.new("1", "x", {})))
print(a:tostring(), a.x, a.y, a.z, getmetatable(a).__name)
try("add", function() return a + 1 end)
try("mul", function() return a * a end)
try("left", function() return 2 * a end)
try("div", function() return a / "x" end)
try("dot", a.dot, a)
try("cross", a.cross, 5)
try("method", function() return a:dot(5) end)
