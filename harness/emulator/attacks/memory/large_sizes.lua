-- Texts of millions of bytes, each size after the other.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
for size = 40000, 8000000, 400000 do
    local kept = {}
    pcall(function() while true do kept[#kept + 1] = ("x"):rep(size) .. #kept end end)
    kept = nil
    collectgarbage()
    sleep(0)
end
print("alive")
