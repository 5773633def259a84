local seed = 42
local function random() seed = (seed * 16807) % 2147483647 return seed end
local t = {}
for i = 1, 200000 do t[i] = random() end
table.sort(t)
for i = 1, 200000 do t[i] = random() end
table.sort(t, function(a, b) return a > b end)
for i = 2, #t do assert(t[i - 1] >= t[i]) end
local names = {}
for i = 1, 50000 do names[i] = "n" .. random() end
table.sort(names)
