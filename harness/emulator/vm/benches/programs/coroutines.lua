local function numbers(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local sum = 0
for i in numbers(2000000) do sum = sum + i end
for i = 1, 50000 do
    local c = coroutine.create(function(a) local b = coroutine.yield(a) return b end)
    coroutine.resume(c, i) coroutine.resume(c, i)
end
assert(sum == 2000000 * 2000001 / 2)
