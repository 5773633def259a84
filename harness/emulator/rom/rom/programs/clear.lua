-- clear: clears the screen, the palette or both.

local program = require("cc.internal.program")(arg, shell, ...)
local COLOURS = 16

local parts = {}

function parts.screen()
    term.setCursorPos(1, 1)
    term.clear()
end

function parts.palette()
    local colour = 1
    for _ = 1, COLOURS do
        term.setPaletteColour(colour, term.nativePaletteColour(colour))
        colour = 2 * colour
    end
end

function parts.all()
    parts.screen()
    parts.palette()
end

program.words[1] = program.words[1] or "screen"
program:choose(parts, "", "screen", "palette", "all")
