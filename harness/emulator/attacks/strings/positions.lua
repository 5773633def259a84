-- Positions of any size are in a text or outside of it.
-- prints: alive
local numbers = { 0, -1, 1, 2 ^ 31, -2 ^ 31, 2 ^ 53, -2 ^ 63, 1e300, -1e300, 0 / 0, 1 / 0, -1 / 0 }
for _, first in ipairs(numbers) do
    for _, last in ipairs(numbers) do
        pcall(string.sub, "text", first, last)
        pcall(string.byte, "text", first, last)
        pcall(string.find, "text", "t", first, true)
        pcall(string.find, "text", "t", first)
        pcall(string.match, "text", "()t", first)
        pcall(string.gsub, "text", "t", "x", first)
        pcall(string.unpack, "b", "text", first)
        pcall(utf8.offset, "text", first, last)
        pcall(utf8.codepoint, "text", first, last)
        pcall(utf8.len, "text", first, last)
        pcall(table.concat, { "a", "b" }, "", first, last)
        pcall(select, first, 1, 2, 3)
    end
end
print("alive")
