-- Nor does one of small messages.
-- memory: 300 MiB
-- prints: alive
periphemu.create("left", "modem")
for i = 1, 100000 do peripheral.call("left", "transmit", 1, 1, i) end
print("alive")
