-- Assembles a sieve of our own, and runs it on an emulated 6502.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;" .. package.path
local processor = require("L6502")
local ram = require("L6502Memory")
local assembler = require("L6502Assembler")

local source = [[
    .org $FFFA
    .dw Done
    .dw Reset
    .dw Done

    .org $8000
Reset:
    LDX #0
    TXA
.Clear
    STA $0200,X
    STA $0300,X
    INX
    BNE .Clear
    LDA #2
    STA <$10
.Next
    LDX <$10
    LDA $0200,X
    BNE .Skip
    TXA
    CLC
    ADC <$10
    BCS .Skip
.Mark
    TAX
    LDA #1
    STA $0200,X
    TXA
    CLC
    ADC <$10
    BCC .Mark
.Skip
    INC <$10
    BNE .Next
    LDX #2
    LDY #0
.Count
    LDA $0200,X
    BNE .Composite
    INY
    TXA
    EOR $0300,Y
    ROL A
    STA $0300,Y
.Composite
    INX
    BNE .Count
    STY <$11
    INC <$12
    JMP Reset
Done:
    RTI
]]

local memory = ram.new()
assembler.UploadToMemory(memory, assert(assembler.Assemble(source, 0x8000, print)))
local cpu = processor.new(memory)
cpu:Reset()
local check = common.check()
for _ = 1, 10 do
    for _ = 1, 20000 do
        cpu:Step()
    end
    common.yield()
end
for address = 0, 0x3FF do
    check(memory:Read(address))
end
common.finish(check)
