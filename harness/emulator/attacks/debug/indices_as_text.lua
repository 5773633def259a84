-- Levels and indices as text are those numbers, and nothing else.
-- prints: true	true	true	false
local x = 1
print((pcall(debug.getlocal, 1, "1")), (pcall(debug.getlocal, "1", 1)), (pcall(debug.setlocal, "1", 1, 2)),
    (pcall(debug.getinfo, "1", "S")))
