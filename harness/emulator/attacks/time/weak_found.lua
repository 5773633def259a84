-- Tables with weak keys that are found through the value of another one, with entries that wait for dead keys: each object
-- that is reached is looked for among them. If all of them hung in one chain, it would take minutes, in which nothing could
-- stop it.
-- prints: 200000 nil
local weak, first, second = { __mode = "k" }, {}, {}
local outer = setmetatable({}, weak)
do
    local waiting, behind, many = setmetatable({}, weak), setmetatable({}, weak), {}
    for i = 1, 200000 do
        waiting[{}] = many
        many[i] = {}
    end
    behind[second] = many
    outer[first] = { behind, waiting }
end
sleep(0)
collectgarbage()
sleep(0)
print(("%d %s"):format(#outer[first][1][second], tostring(next(outer[first][2]))))
