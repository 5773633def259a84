-- Characters are bytes or refused.
-- prints: alive
for _, code in ipairs({ -1, 256, 2 ^ 31, 1e300, 0 / 0, 0.5, 0x10FFFF, 0x7FFFFFFF, 0x80000000 }) do
    pcall(string.char, code)
    pcall(utf8.char, code)
end
pcall(string.char, table.unpack({}, 1, 5000))
print("alive")
