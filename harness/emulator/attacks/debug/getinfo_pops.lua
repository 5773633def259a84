-- The option that makes Lua take a function from a stack is refused.
-- prints: alive
local co = coroutine.create(function() coroutine.yield() end)
coroutine.resume(co)
for _ = 1, 30000 do
    pcall(debug.getinfo, co, 0, ">S")
    pcall(debug.getinfo, 1, ">f")
    pcall(debug.getinfo, print, ">>nSl")
end
print("alive")
