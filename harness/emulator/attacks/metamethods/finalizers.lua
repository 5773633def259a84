-- Nothing runs when a table is collected.
-- prints: 0
local ran = 0
for _ = 1, 1000 do
    setmetatable({}, { __gc = function() ran = ran + 1 end })
    debug.setmetatable({}, { __gc = function() ran = ran + 1 end })
end
collectgarbage() collectgarbage()
print(ran)
