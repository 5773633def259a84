-- hello: greets the world, in a colour of its own.

local greeting = "Hello World!"
local paint = term.isColour() and 2 ^ math.random(0, 14) or nil
if paint then term.setTextColour(paint) end
textutils.slowPrint(greeting)
term.setTextColour(colors.white)
