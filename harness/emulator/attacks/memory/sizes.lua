-- Texts of one size up to the limit, freed, then of the next size: the process takes no more than the limit and itself.
-- settings: {"memoryLimit": 33554432}
-- memory: 140 MiB
-- prints: alive
for size = 100, 40000, 2100 do
    local kept = {}
    pcall(function()
        local i = 0
        while true do
            i = i + 1
            kept[i] = ("x"):rep(size) .. i
        end
    end)
    kept = nil
    collectgarbage()
    sleep(0)
end
print("alive")
