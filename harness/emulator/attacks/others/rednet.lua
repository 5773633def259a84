-- Nor does one over rednet.
-- prints: alive
periphemu.create("left", "modem")
rednet.open("left")
for i = 1, 5000 do rednet.broadcast({ i }, "x") end
print("alive")
