-- A message that does not fit is dropped, and turns no listener off.
-- memory: 900 MiB
-- prints: alive
periphemu.create("left", "modem")
local list, long = {}, ("x"):rep(1e6)
for i = 1, 268 do list[i] = long end
pcall(peripheral.call, "left", "transmit", 1, 1, list)
list = nil
collectgarbage()
print("alive")
