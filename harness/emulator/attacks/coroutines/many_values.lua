-- Values without end do not cross.
-- prints: alive
local list = {}
for i = 1, 200000 do list[i] = i end
local co = coroutine.wrap(function(...) while true do coroutine.yield(...) end end)
pcall(function() for _ = 1, 50 do co(table.unpack(list)) end end)
print("alive")
