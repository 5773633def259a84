-- Plays the games that lie beside an emulator of the CHIP-8, with keys pressed at fixed times.
local common = dofile("/bench/common.lua")
common.fix_random()
package.path = "/program/?.lua;" .. package.path
local chip8 = require("chip8")

local check = common.check()
for _, name in ipairs({ "BRIX", "INVADERS", "MAZE", "TETRIS", "UFO", "KALEID", "TANK", "BLITZ" }) do
    math.randomseed(1)
    local machine = chip8()
    machine:reset()
    machine:load({ common.read("/program/ROM/" .. name):byte(1, -1) })
    for cycle = 1, 24000 do
        machine:setKeyDown(math.floor(cycle / 20) % 16, cycle % 20 < 10)
        local failure = machine:cycle()
        if failure then
            check(failure)
            break
        end
    end
    for pixel = 0, 64 * 32 - 1 do
        check(machine.display[pixel])
    end
    common.yield()
end
common.finish(check)
