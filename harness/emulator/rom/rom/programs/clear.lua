-- clear: clears the screen, the palette, or both.

local arguments = { ... }

local function usage()
    print("Usages:")
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print(name)
    print(name .. " screen")
    print(name .. " palette")
    print(name .. " all")
end

local function clear_screen()
    term.clear()
    term.setCursorPos(1, 1)
end

local function reset_palette()
    for index = 0, 15 do
        local colour = 2 ^ index
        term.setPaletteColour(colour, term.nativePaletteColour(colour))
    end
end

local what = arguments[1] or "screen"
if what == "screen" then
    clear_screen()
elseif what == "palette" then
    reset_palette()
elseif what == "all" then
    clear_screen()
    reset_palette()
else
    usage()
end
