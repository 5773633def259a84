-- Formats of packing of any kind are packed or refused.
-- prints: alive
for _, format in ipairs({
    "i0", "i17", "I16", "i99999999999999999999", "!17", "!0", "!3i", "c", "c0", "c99999999999", "s0", "s16", "z", "x", "X", "Xi16", "X!",
    "!16Xi16", "<>=!", "b" .. ("i"):rep(300), "\0", "%", "d", "f", "n", "j", "J", "T", "L",
}) do
    for _, value in ipairs({ 0, -1, 2 ^ 63, -2 ^ 63, 1e300, 0 / 0, "x", "x\0y", ("x"):rep(300) }) do
        pcall(string.pack, format, value)
        pcall(string.unpack, format, ("\255"):rep(64))
        pcall(string.unpack, format, "")
        pcall(string.packsize, format)
    end
end
print("alive")
