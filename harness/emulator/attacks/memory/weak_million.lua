-- A large table with weak keys and values that are made and lost counts, and is emptied.
-- settings: {"memoryLimit": 67108864}
-- memory: 220 MiB
-- prints: 0
local weak = setmetatable({}, { __mode = "kv" })
for round = 1, 6 do
    for i = 1, 100000 do weak[i] = { round } end
    sleep(0)
end
collectgarbage()
local count = 0
for _ in pairs(weak) do count = count + 1 end
print(count)
