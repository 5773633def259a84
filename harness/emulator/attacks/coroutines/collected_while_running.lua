-- A coroutine that nobody holds goes on until it ends.
-- prints: alive
coroutine.wrap(function()
    for _ = 1, 100 do
        collectgarbage()
        local _ = ("x"):rep(1000)
    end
end)()
print("alive")
