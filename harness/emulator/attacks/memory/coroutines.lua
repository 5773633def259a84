-- Coroutines count as memory.
-- settings: {"memoryLimit": 33554432}
-- memory: 140 MiB
-- prints: false	not enough memory
local kept = {}
local ok, message = pcall(function()
    for i = 1, 1e9 do
        kept[i] = coroutine.create(function() coroutine.yield() end)
        coroutine.resume(kept[i])
    end
end)
kept = nil
print(ok, message)
