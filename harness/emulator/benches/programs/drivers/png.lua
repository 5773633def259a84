-- Decodes a picture that lies beside the decoder, again and again.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;" .. package.path
local decode = require("png")

local check = common.check()
for round = 1, 80 do
    local picture = decode("/program/test/Example1.png")
    if round == 1 then
        for _, row in ipairs(picture.pixels) do
            for _, pixel in ipairs(row) do
                check(pixel.R * 65536 + pixel.G * 256 + pixel.B)
            end
        end
    end
    common.yield()
end
common.finish(check)
