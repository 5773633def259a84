-- A chain of weak keys, each found through the value of the one before, is collected as quickly as other entries. Looked
-- through from the wrong end again and again, it would take minutes, in which nothing could stop it.
-- prints: 0
local length = 200000
local keys, tables, weak = {}, {}, { __mode = "k" }
for i = 1, length + 1 do keys[i] = {} end
for i = length, 1, -1 do tables[#tables + 1] = setmetatable({ [keys[i]] = keys[i + 1] }, weak) end
local first = keys[1]
keys = nil
sleep(0)
collectgarbage()
sleep(0)
local key = first
for i = #tables, 1, -1 do key = assert(tables[i][key], "the chain is broken") end
first, key = nil, nil
collectgarbage()
sleep(0)
local left = 0
for i = 1, #tables do if next(tables[i]) ~= nil then left = left + 1 end end
print(left)
