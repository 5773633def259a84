-- A flood of messages fills nobody's memory.
-- settings: {"memoryLimit": 33554432}
-- memory: 200 MiB
-- prints: alive
periphemu.create("left", "modem")
local text = ("x"):rep(50000)
for _ = 1, 20000 do peripheral.call("left", "transmit", 1, 1, text) end
print("alive")
