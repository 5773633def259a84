-- Every method of every device, with arguments of every kind.
-- prints: alive
local odd = { nil, false, 0, -1, 1e9, 0 / 0, 1 / 0, "", ("x"):rep(1e5), "left", {}, { [{}] = {} }, print, coroutine.create(print), -2 ^ 53 }
for index, kind in ipairs({ "minecraft:chest", "energy", "drive", "modem", "wireless_modem", "tank", "monitor", "speaker" }) do
    local name = kind .. index
    periphemu.create(name, kind)
    for _, method in ipairs(peripheral.getMethods(name) or {}) do
        for i = 1, 15 do
            for j = 1, 15, 2 do
                pcall(peripheral.call, name, method, odd[i], odd[j], odd[(i * j) % 15 + 1], odd[(i + j) % 15 + 1])
            end
            os.queueEvent("x") os.pullEvent("x")
        end
    end
end
for _, name in ipairs(peripheral.getNames()) do if not name:find("^computer") then periphemu.remove(name) end end
print("alive")
