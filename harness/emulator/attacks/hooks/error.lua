-- A hook that fails ends what it watches, and nothing else.
-- prints: false	x
-- prints: alive
local co = coroutine.create(function()
    debug.sethook(function() error("x", 0) end, "l")
    local a = 1
    return a
end)
print(coroutine.resume(co))
print("alive")
