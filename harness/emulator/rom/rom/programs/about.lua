-- about: says what this computer is.

if term.isColour() then term.setTextColour(colors.yellow) end
print(os.version() .. " on " .. _HOST)
term.setTextColour(colors.white)
