-- A hook that is set on a coroutine that waits finds its way when that goes on.
-- prints: alive
for i = 1, 200 do
    local co = coroutine.create(load(("x = 1\n"):rep(i) .. "coroutine.yield()\nx = 2\n"))
    coroutine.resume(co)
    debug.sethook(co, function() end, "l", 1)
    coroutine.resume(co)
end
collectgarbage()
print("alive")
