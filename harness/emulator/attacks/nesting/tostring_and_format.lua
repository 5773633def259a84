-- A value that shows itself by showing itself ends with an error.
-- prints: false	C stack overflow
local value = setmetatable({}, { __tostring = function(self) return string.format("%s", self) end })
local ok, message = pcall(tostring, value)
print(ok, tostring(message):match("C stack overflow") or message)
