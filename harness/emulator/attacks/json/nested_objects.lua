-- So are objects in objects.
-- prints: false
local ok, value = pcall(textutils.unserialiseJSON, ('{"a":'):rep(100000))
print(ok and value ~= nil)
