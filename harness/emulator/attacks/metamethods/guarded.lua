-- A guarded metatable stays.
-- prints: false	locked
local t = setmetatable({}, { __metatable = "locked" })
print((pcall(setmetatable, t, {})), getmetatable(t))
