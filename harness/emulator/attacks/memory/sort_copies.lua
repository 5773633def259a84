-- Sorting has a copy of the list, which counts.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
local list = {}
pcall(function() for i = 1, 1e9 do list[i] = "x" end end)
for i = #list, #list / 2, -1 do list[i] = nil end
pcall(table.sort, list)
list = nil
print("alive")
