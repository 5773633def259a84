-- A program that sets `write` again sets its own.
-- prints: alive
local before = write
_G.write = function() error("x") end
rawset(_G, "write", before)
print("alive")
