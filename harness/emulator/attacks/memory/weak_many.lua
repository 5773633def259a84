-- Very many weak tables are noted while they are looked at, and those that change are noted again: that counts too.
-- settings: {"memoryLimit": 67108864}
-- memory: 90 MiB
-- prints: alive
local mode, tables = { __mode = "v" }, {}
for i = 1, 550000 do tables[i] = setmetatable({}, mode) end
for round = 1, 60 do
    for i = 1, 550000, 3 do tables[i].x = nil end
    for i = 1, 4000 do tables[i].x = { round } end
    if round % 10 == 0 then sleep(0) end
end
print("alive")
