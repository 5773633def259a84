-- A table that contains itself is not sent.
-- prints: false
periphemu.create("left", "modem")
local round = {}
round.round = round
print((pcall(peripheral.call, "left", "transmit", 1, 1, round)))
