-- Functions count as memory.
-- settings: {"memoryLimit": 33554432}
-- memory: 140 MiB
-- prints: false	not enough memory
local kept = {}
local ok, message = pcall(function() for i = 1, 1e9 do kept[i] = function() return i end end end)
kept = nil
print(ok, message)
