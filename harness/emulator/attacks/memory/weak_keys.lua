-- What a collection needs to look at a table with very many dead weak keys counts, and the keys go all the same.
-- settings: {"memoryLimit": 67108864}
-- memory: 100 MiB
-- prints: 0
local weak = setmetatable({}, { __mode = "k" })
for round = 1, 6 do
    for i = 1, 300000 do weak[{}] = {} end
    sleep(0)
end
collectgarbage()
local count = 0
for _ in pairs(weak) do count = count + 1 end
print(count)
