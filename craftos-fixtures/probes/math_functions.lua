-- math: rounding, logarithms, limits.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(math.floor(-1.5), math.ceil(-1.5), math.floor(2), math.abs(-3), math.max(1, 5, 3), math.min(4, 2))
print(math.fmod(7, 3), math.fmod(-7, 3), -7 % 3, 7 % -3, 5.5 % 2)
print(math.modf(3.7), math.modf(-3.7), math.frexp(8), math.ldexp(0.5, 4))
print(math.log(8, 2), math.log(100, 10), math.log10(1000), math.exp(0), math.sqrt(16), math.pow(2, 10))
print(math.huge, -math.huge, math.pi, math.deg(math.pi), math.rad(180))
print(math.sin(0), math.cos(0), math.atan2(1, 1), math.sinh(0))
print(1 / 0, -1 / 0, 0 / 0 ~= 0 / 0)
print(math.tointeger, math.type, math.maxinteger)
try("max none", math.max)
try("floor text", math.floor, "x")
try("floor numeral", math.floor, "1.5")
try("sqrt nil", math.sqrt)
