-- Levels and indices are whole numbers.
-- prints: false	false	false
local x = 1
print((pcall(debug.getlocal, 1, 1.5)), (pcall(debug.getlocal, 1.5, 1)), (pcall(debug.getinfo, 0.5)))
