-- Positions and colours of any size are taken or refused.
-- prints: alive
for _, number in ipairs({ 0, -1, 2 ^ 31, -2 ^ 31, 1e300, 0 / 0, 1 / 0, 0.5, 2 ^ 53 }) do
    for _, name in ipairs({ "setCursorPos", "setTextColour", "setBackgroundColour", "setPaletteColour", "getPaletteColour", "scroll" }) do
        pcall(term[name], number, number, number, number)
    end
    term.write(" ")
end
for _, text in ipairs({ ("x"):rep(100000), "\0", "\27[2J" }) do pcall(term.blit, text, text, text) end
term.setCursorPos(1, 1)
term.clear()
print("alive")
