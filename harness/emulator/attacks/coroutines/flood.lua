-- Coroutines that come and go take no more than those that are there.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
for _ = 1, 200000 do coroutine.wrap(function() coroutine.yield() end)() end
print("alive")
