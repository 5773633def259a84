-- Levels and indices are numbers.
-- prints: false	false	false	false
local x = 1
print((pcall(debug.getlocal, 1, "1")), (pcall(debug.getlocal, "1", 1)), (pcall(debug.setlocal, "1", 1, 2)),
    (pcall(debug.getinfo, "1", "S")))
