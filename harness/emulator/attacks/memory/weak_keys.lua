-- What a collection needs to look at a table with very many dead weak keys counts, and the keys go all the same, if not at once.
-- settings: {"memoryLimit": 75497472}
-- memory: 94 MiB
-- prints: 0
local weak = setmetatable({}, { __mode = "k" })
collectgarbage("stop")
for i = 1, 1000000 do
    local key = function() end
    weak[key] = key
    if i % 200000 == 0 then sleep(0) end
end
collectgarbage("restart")
for _ = 1, 8 do
    collectgarbage()
    sleep(0)
end
local count = 0
for _ in pairs(weak) do count = count + 1 end
-- The last one may still be in a register.
print(count <= 1 and 0 or count)
