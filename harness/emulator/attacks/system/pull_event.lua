-- A program that is never woken up is turned off by others, and holds up nobody.
-- prints: alive
local co = coroutine.create(function() os.pullEvent("never") end)
for _ = 1, 1000 do coroutine.resume(co, "x") end
print("alive")
