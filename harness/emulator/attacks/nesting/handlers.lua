-- Handlers of errors that fail.
-- prints: alive
local function handler() error("again") end
xpcall(error, handler)
local function nested() return xpcall(nested, nested) end
nested()
print("alive")
