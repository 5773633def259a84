-- A table with more and more keys ends with an error.
-- settings: {"memoryLimit": 33554432}
-- memory: 140 MiB
-- prints: false	not enough memory
local t = {}
local ok, message = pcall(function() for i = 1, 1e9 do t["key" .. i] = i end end)
t = nil
print(ok, message)
