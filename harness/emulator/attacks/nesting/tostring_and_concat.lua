-- The same through other functions.
-- prints: false	C stack overflow
local value = setmetatable({}, { __tostring = function(self) return tostring(self) .. "x" end })
local ok, message = pcall(string.format, "%s%s", value, value)
print(ok, tostring(message):match("C stack overflow") or message)
