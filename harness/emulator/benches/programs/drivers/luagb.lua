-- Runs a small program of our own on an emulated Game Boy, for some frames.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;/program/?/init.lua;" .. package.path
package.loaded.bit = bit32

-- It fills the tiles and the map, then mixes 256 bytes of memory again and again, and scrolls.
local code = {
    { 0xF3, 0x31, 0xFE, 0xDF }, -- di; ld sp, 0xDFFE
    { 0x21, 0x00, 0x80, 0x01, 0x00, 0x18 }, -- ld hl, 0x8000; ld bc, 0x1800
    { 0x7D, 0xAC, 0x22, 0x0B, 0x78, 0xB1, 0x20, 0xF8 }, -- ld a, l; xor h; ldi (hl), a; dec bc; ld a, b; or c; jr nz
    { 0x21, 0x00, 0x98, 0x01, 0x00, 0x04 }, -- ld hl, 0x9800; ld bc, 0x0400
    { 0x7D, 0x22, 0x0B, 0x78, 0xB1, 0x20, 0xF9 }, -- ld a, l; ldi (hl), a; dec bc; ld a, b; or c; jr nz
    { 0x21, 0x00, 0xC0, 0x06, 0x00 }, -- ld hl, 0xC000; ld b, 0
    { 0x86, 0x07, 0xA8, 0x22, 0xCD, 0x00, 0x02 }, -- add (hl); rlca; xor b; ldi (hl), a; call 0x200
    { 0x04, 0x20, 0xF6 }, -- inc b; jr nz, to the addition
    { 0xF0, 0x43, 0x3C, 0xE0, 0x43 }, -- ldh a, (SCX); inc a; ldh (SCX), a
    { 0x18, 0xEA }, -- jr, to the beginning of the memory
}
local rom = {}
for address = 0, 0x7FFF do
    rom[address] = 0
end
local function put(address, bytes)
    for _, byte in ipairs(bytes) do
        rom[address] = byte
        address = address + 1
    end
    return address
end
put(0x100, { 0x00, 0xC3, 0x50, 0x01 }) -- nop; jp 0x150
put(0x200, { 0xC5, 0x4F, 0x81, 0xCB, 0x37, 0xC1, 0xC9 }) -- push bc; ld c, a; add c; swap a; pop bc; ret
local address = 0x150
for _, bytes in ipairs(code) do
    address = put(address, bytes)
end
local parts = {}
for at = 0, 0x7FFF do
    parts[at + 1] = string.char(rom[at])
end

local gameboy = require("gameboy").new({})
gameboy.cartridge.load(table.concat(parts), 0x8000)
gameboy:reset()

local check = common.check()
for frame = 1, 60 do
    gameboy:run_until_vblank()
    if frame % 20 == 0 then
        for y = 0, 143, 8 do
            local line = gameboy.graphics.game_screen[y]
            for x = 0, 159 do
                check(table.concat(line[x], ","))
            end
        end
    end
    common.yield()
end
for at = 0xC000, 0xC0FF do
    check(gameboy.memory[at])
end
common.finish(check)
