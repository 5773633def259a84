-- The native palette of all colours.

for index = 0, 15 do
    local r, g, b = term.nativePaletteColour(2 ^ index)
    print(index, ("%06X"):format(colors.packRGB(r, g, b)))
end
