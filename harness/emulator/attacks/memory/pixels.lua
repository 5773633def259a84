-- Pixels beyond the screen are not made, however many are asked for.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
term.setGraphicsMode(2)
for _, size in ipairs({ 1e5, 1e9, 2 ^ 31, 2 ^ 53, 1e300, math.huge, 0 / 0, -1 }) do
    pcall(term.getPixels, 0, 0, size, size)
    pcall(term.getPixels, 0, 0, size, size, true)
    pcall(term.drawPixels, 0, 0, 1, size, size)
    pcall(term.drawPixels, -size, -size, { ("x"):rep(1e6) }, size, size)
end
local row = ("x"):rep(1e6)
local rows = {}
for i = 1, 20000 do rows[i] = row end
pcall(term.drawPixels, 0, 0, rows)
term.setGraphicsMode(0)
print("alive")
