-- Metatables for all types of a computer change that computer only.
-- prints: 2	nil
local meta = { __index = function() return 2 end, __call = function() return 3 end }
debug.setmetatable(nil, meta) debug.setmetatable(1, meta) debug.setmetatable(print, meta)
debug.setmetatable(true, meta) debug.setmetatable(coroutine.create(print), meta)
local value = (nil).x
for _, any in ipairs({ 1, print, true, coroutine.create(print) }) do debug.setmetatable(any, nil) end
debug.setmetatable(nil, nil)
print(value, debug.getmetatable(1))
