-- What the emulator remembers of files that were loaded is bounded.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
local rest = " --" .. ("x"):rep(1e6)
for i = 1, 250 do
    local file = fs.open("/chunk.lua", "w")
    file.write("return " .. i .. rest)
    file.close()
    assert(loadfile("/chunk.lua")() == i)
    sleep(0)
end
print("alive")
