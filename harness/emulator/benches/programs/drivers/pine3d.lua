-- Flies through a scene of models.
local common = dofile("/bench/common.lua")
common.fix_random()
local screen = common.screen()
-- The library chooses characters by the palette, and a screen without a head need not have one.
for colour = 0, 15 do
    screen.setPaletteColour(2 ^ colour, colour % 4 / 3, math.floor(colour / 4) / 3, colour / 15)
end
package.path = "/program/?.lua;" .. package.path
local pine = require("Pine3D")

local frame = pine.newFrame()
local objects = {
    frame:newObject(
        pine.models:mountains({ height = 1.4, randomHeight = 0.5, randomOffset = 0.5, snow = true })
    ),
    frame:newObject(pine.models:sphere({ res = 24, color = colors.red, color2 = colors.orange }), 4, 0.5, 0),
    frame:newObject(pine.models:icosphere({ res = 3, color = colors.blue, color2 = colors.cyan }), 5, 0.5, 2),
}
for tree = 1, 12 do
    objects[#objects + 1] = frame:newObject("/program/models/pinetree", 3 + tree % 4 * 2, 0, tree - 6)
end

local check = common.check()
for step = 1, 240 do
    objects[2]:setRot(0, step / 20, 0)
    frame:setCamera(-3 + step / 20, 1.5, math.sin(step / 15), 0, step % 30 - 15, 0)
    frame:drawObjects(objects)
    frame:drawBuffer()
    if step % 80 == 0 then
        common.check_screen(check, screen)
    end
    common.yield()
end
common.finish(check)
