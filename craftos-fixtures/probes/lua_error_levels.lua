-- error: levels, objects, rethrowing.

local function level_one() error("one") end
local function level_two() error("two", 2) end
local function level_zero() error("zero", 0) end
print(pcall(level_one))
print(pcall(function() level_two() end))
print(pcall(level_zero))
print(pcall(error))
print(pcall(error, nil))
local ok, object = pcall(error, { code = 5 })
print(ok, type(object), object.code)
print(select("#", pcall(error)))
print(pcall(error, "text", 1))
print(pcall(assert, false))
print(pcall(assert, nil, "message"))
print(pcall(assert, false, { 1 }) == false)
print(pcall(assert))
print(assert(1, 2, 3))
