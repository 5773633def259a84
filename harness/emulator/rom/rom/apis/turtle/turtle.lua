-- turtle: the native API of turtles. Other computers have none.

if not turtle then error("Cannot load turtle API on computer", 2) end

local api = _ENV
local native = turtle.native or turtle
for name, value in pairs(native) do api[name] = value end
api.native = native
