-- Decodes JSON that lies beside the library, encodes it, and reads it with the parser that calls back.
local common = dofile("/bench/common.lua")
package.path = "/program/src/?.lua;" .. package.path
local lunajson = require("lunajson")

local check = common.check()
local text = common.read("/program/bench/decoder/data/simple.json")
for _ = 1, 3 do
    local value = lunajson.decode(text)
    common.yield()
    check(#lunajson.encode(value))
    common.yield()
    local count, sum = 0, 0
    local parser = lunajson.newparser(text, {
        startobject = function()
            count = count + 1
        end,
        number = function(number)
            sum = sum + number
        end,
        string = function(string)
            count = count + #string
        end,
    })
    parser.run()
    check(count)
    check(sum)
    common.yield()
end
common.finish(check)
