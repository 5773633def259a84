-- Fractions of levels and indices do not count.
-- prints: true	true	true
local x = 1
print((pcall(debug.getlocal, 1, 1.5)), (pcall(debug.getlocal, 1.5, 1)), (pcall(debug.getinfo, 0.5)))
