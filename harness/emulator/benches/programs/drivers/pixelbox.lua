-- Draws a picture that moves with pixels of a sixth of a character.
local common = dofile("/bench/common.lua")
local screen = common.screen()
package.path = "/program/?.lua;" .. package.path
local box = require("pixelbox_lite").new(term.current())

local check = common.check()
for frame = 1, 300 do
    for y = 1, box.height do
        local line = box.canvas[y]
        for x = 1, box.width do
            local height = math.sin(x / 9 + frame / 7) + math.sin(y / 6 - frame / 5) + math.sin((x + y) / 12)
            line[x] = 2 ^ math.floor((height + 3) * 2.6)
        end
    end
    box:render()
    if frame % 100 == 0 then
        common.check_screen(check, screen)
    end
    common.yield()
end
common.finish(check)
