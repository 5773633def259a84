-- clear: clears the screen, the palette or both.

local program = require("cc.internal.program")(arg, shell, ...)

local function clear_screen()
    term.clear()
    term.setCursorPos(1, 1)
end

local function reset_palette()
    for bit = 0, 15 do term.setPaletteColour(2 ^ bit, term.nativePaletteColour(2 ^ bit)) end
end

program.words[1] = program.words[1] or "screen"
program:choose({
    all = function()
        clear_screen()
        reset_palette()
    end,
    palette = reset_palette,
    screen = clear_screen,
}, "", "screen", "palette", "all")
