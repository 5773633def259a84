-- Counts of any size are repeated or refused.
-- prints: alive
for _, count in ipairs({ -1, 0, 2 ^ 31, 2 ^ 53, 2 ^ 63, 1e300, 0 / 0, 1 / 0, -1 / 0 }) do
    pcall(string.rep, "x", count) pcall(string.rep, "", count) pcall(string.rep, "xy", count, "z") pcall(string.rep, "", count, "z")
end
print("alive")
