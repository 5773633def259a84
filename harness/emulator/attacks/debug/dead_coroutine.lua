-- A coroutine that has ended has no frames to look into.
-- prints: alive
local co = coroutine.create(function(...) error("x") end)
coroutine.resume(co, 1, 2, 3)
for level = -2, 10 do
    for index = -5, 5 do
        pcall(debug.getlocal, co, level, index)
        pcall(debug.setlocal, co, level, index, 1)
        pcall(debug.getinfo, co, level, "nSltufL")
    end
end
collectgarbage()
print("alive")
