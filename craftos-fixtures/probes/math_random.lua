-- math.random: ranges and errors, not values.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _ = 1, 100 do
    local value = math.random()
    assert(value >= 0 and value < 1)
    value = math.random(6)
    assert(value >= 1 and value <= 6 and value == math.floor(value))
    value = math.random(-3, 3)
    assert(value >= -3 and value <= 3)
end
print("in range", math.random(5, 5), math.random(1))
math.randomseed(42)
local first = math.random(1, 1000000)
math.randomseed(42)
print(first == math.random(1, 1000000))
try("backwards", math.random, 2, 1)
try("too many", math.random, 1, 2, 3)
try("text", math.random, "x")
