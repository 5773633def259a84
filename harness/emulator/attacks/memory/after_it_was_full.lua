-- A computer whose memory was full goes on.
-- settings: {"memoryLimit": 33554432}
-- prints: false	not enough memory
-- prints: 5000050000
local kept = {}
local ok, message = pcall(function() while true do kept[#kept + 1] = {} end end)
kept = nil
print(ok, message)
local sum = 0
for i = 1, 100000 do sum = sum + i end
print(("%d"):format(sum))
