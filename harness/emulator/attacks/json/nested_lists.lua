-- Lists in lists without end are refused.
-- prints: false
local ok, value = pcall(textutils.unserialiseJSON, ("["):rep(100000))
print(ok and value ~= nil)
