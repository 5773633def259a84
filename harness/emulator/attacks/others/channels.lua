-- Channels are numbers in range, and there is an end of them.
-- prints: false	false	false	false
periphemu.create("left", "modem")
local modem = peripheral.wrap("left")
print((pcall(modem.open, -1)), (pcall(modem.open, 65536)), (pcall(modem.open, 0 / 0)),
    (pcall(function() for i = 0, 65535 do modem.open(i) end end)))
