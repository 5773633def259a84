-- A collection looks at lists within lists, each of which leads to thousands of functions before the next one: what it notes
-- on the way counts.
-- settings: {"memoryLimit": 134217728}
-- memory: 170 MiB
-- prints: 600
local first = {}
local list = first
for depth = 1, 600 do
    local functions = {}
    for i = 1, 4095 do functions[i] = function() end end
    functions[4096] = {}
    list[1] = functions
    list = functions[4096]
    if depth % 50 == 0 then sleep(0) end
end
for _ = 1, 3 do
    collectgarbage()
    sleep(0)
end
local depth = 0
list = first
while list[1] do
    assert(#list[1] == 4096 and list[1][4095], "a function is gone")
    depth, list = depth + 1, list[1][4096]
end
print(depth)
