-- Readers that load.
-- prints: alive
local function read() load(read) return nil end
load(read)
print("alive")
