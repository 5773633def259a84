-- Methods of every peripheral take or refuse anything.
-- prints: alive
local values = { -1, 0, 1e300, 0 / 0, "", ("x"):rep(5000), {}, true, print }
for index, kind in ipairs({ "monitor", "speaker", "modem", "drive", "minecraft:chest", "energy", "tank", "wireless_modem" }) do
    local name = "thing_" .. index
    if periphemu.create(name, kind) then
        for _, method in ipairs(peripheral.getMethods(name) or {}) do
            for _, value in ipairs(values) do pcall(peripheral.call, name, method, value, value, value, value) end
        end
        periphemu.remove(name)
    end
end
term.setCursorPos(1, 1)
print("alive")
