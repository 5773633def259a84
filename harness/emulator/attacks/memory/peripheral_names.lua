-- A peripheral's name is not longer than any name.
-- prints: false
print((periphemu.create(("x"):rep(1e6), "monitor")))
