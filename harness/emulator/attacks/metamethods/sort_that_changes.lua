-- A list that its own comparison empties, fills and yields from while it is sorted.
-- prints: alive
for round = 1, 20 do
    local list, calls = {}, 0
    for i = 1, 300 do list[i] = (i * 7919) % 301 end
    local thread = coroutine.create(function()
        pcall(table.sort, list, function(a, b)
            calls = calls + 1
            if calls % 50 == 0 then for i = 1, 300 do list[i] = calls % 100 == 0 and i or nil end end
            if calls % 33 == 0 then collectgarbage() coroutine.yield() end
            return (a or 0) < (b or 0)
        end)
    end)
    for _ = 1, round * 3 do coroutine.resume(thread) end
end
collectgarbage()
print("alive")
