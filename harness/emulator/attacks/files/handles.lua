-- There is an end of open files.
-- prints: false
local kept = {}
for i = 1, 5000 do kept[i] = fs.open("/attack.lua", "r") or nil end
print(#kept == 5000)
