local co = coroutine.create(function(a, b)
    print("start", a, b)
    local c = coroutine.yield(a + b)
    print("got", c)
    local d, e = coroutine.yield(c * 2)
    return d + e
end)
print(coroutine.resume(co, 1, 2)) print(coroutine.status(co))
print(coroutine.resume(co, 10)) print(coroutine.resume(co, 3, 4))
print(coroutine.status(co), coroutine.resume(co))
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
print(gen(), gen(), gen(), gen())
print(pcall(gen))
-- Across pcall, xpcall, sort-free callbacks, iterators and metamethods.
local inner = coroutine.wrap(function()
    local ok, value = pcall(function() local v = coroutine.yield("in pcall") error("after " .. v, 0) end)
    print(ok, value)
    print(xpcall(function() return coroutine.yield("in xpcall") end, print))
    for k in (function() return coroutine.yield("in iterator") end) do print("k", k) break end
    return "done"
end)
print(inner()) print(inner("resumed")) print(inner("x")) print(inner("y"))
local outer = coroutine.create(function()
    local nested = coroutine.create(function() print(coroutine.status(outer_co)) error({ code = 7 }) end)
    local ok, err = coroutine.resume(nested)
    print(ok, type(err), err.code, coroutine.status(nested))
    coroutine.yield(1)
end)
outer_co = outer
print(coroutine.resume(outer))
print(coroutine.resume(coroutine.create(function() error("message") end)))
print(select("#", coroutine.resume(coroutine.create(function() return nil, nil end))))
local function producer() return coroutine.create(function() for i = 1, 4 do coroutine.yield("v" .. i) end return "last" end) end
local function filter(p) return coroutine.create(function() for i = 1, 5 do
    local _, v = coroutine.resume(p) coroutine.yield(i .. v) end end) end
local f = filter(producer())
for i = 1, 6 do print(coroutine.resume(f)) end
print(coroutine.resume(coroutine.create(function(...) return select("#", ...), ... end), 1, nil, 3, nil))
