-- Tables that are each other's index are an error.
-- prints: false	false
local a, b = {}, {}
setmetatable(a, { __index = b, __newindex = b })
setmetatable(b, { __index = a, __newindex = a })
print((pcall(function() return a.x end)), (pcall(function() a.x = 1 end)))
