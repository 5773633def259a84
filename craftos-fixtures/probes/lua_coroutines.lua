-- Coroutines: passing values, states, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local co = coroutine.create(function(a, b)
    print("start", a, b)
    local c = coroutine.yield(a + b)
    print("resumed", c)
    local d, e = coroutine.yield(c * 2)
    return d, e, "end"
end)
print(coroutine.status(co), coroutine.resume(co, 1, 2))
print(coroutine.status(co), coroutine.resume(co, 10))
print(coroutine.resume(co, "x", "y"))
print(coroutine.status(co), coroutine.resume(co))
local failing = coroutine.create(function() error("inside", 0) end)
print(coroutine.resume(failing))
print(coroutine.status(failing))
local wrapped = coroutine.wrap(function() for i = 1, 2 do coroutine.yield(i) end end)
print(wrapped(), wrapped(), wrapped())
try("dead wrap", wrapped)
try("not a function", coroutine.create, 5)
try("resume nil", coroutine.resume)
print(coroutine.isyieldable(), select(2, coroutine.running()))
print(coroutine.wrap(function() return coroutine.isyieldable(), select(2, coroutine.running()) end)())
print(coroutine.wrap(function() return pcall(coroutine.yield, 1) end)())
local in_pcall = coroutine.wrap(function() return pcall(function() return coroutine.yield("y") end) end)
print(in_pcall(), in_pcall("back"))
print(coroutine.close)
