-- The same, and one of each hundred stays.
-- settings: {"memoryLimit": 33554432}
-- memory: 140 MiB
-- prints: alive
local rest = {}
for size = 20, 20000, 1300 do
    local kept = {}
    pcall(function()
        local i = 0
        while true do
            i = i + 1
            kept[i] = ("x"):rep(size) .. i
            if i % 100 == 1 then rest[#rest + 1] = kept[i] end
        end
    end)
    kept = nil
    collectgarbage()
    sleep(0)
end
rest = nil
collectgarbage()
print("alive")
