-- A message that fits into the queue, but not into the listener's memory, is dropped.
-- settings: {"memoryLimit": 8388608}
-- prints: alive
periphemu.create("left", "modem")
local list, long = {}, ("x"):rep(1e5)
for i = 1, 75 do list[i] = long end
for _ = 1, 3 do
    pcall(peripheral.call, "left", "transmit", 1, 1, list)
    sleep(0.05)
end
print("alive")
