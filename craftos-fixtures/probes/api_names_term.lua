-- The functions of the terminal.

local wanted = {
    "blit", "clear", "clearLine", "current", "getBackgroundColor", "getBackgroundColour", "getCursorBlink", "getCursorPos",
    "getPaletteColor", "getPaletteColour", "getSize", "getTextColor", "getTextColour", "isColor", "isColour", "native",
    "nativePaletteColor", "nativePaletteColour", "redirect", "scroll", "setBackgroundColor", "setBackgroundColour",
    "setCursorBlink", "setCursorPos", "setPaletteColor", "setPaletteColour", "setTextColor", "setTextColour", "write",
}
for _, name in ipairs(wanted) do print(name, type(term[name])) end
print(term.current() == term.native())
