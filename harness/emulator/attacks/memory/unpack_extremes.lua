-- A table between the ends of all numbers is unpacked to nothing or refused.
-- prints: alive
for _, pair in ipairs({ { -2 ^ 31, 2 ^ 31 - 1 }, { 1, 2 ^ 53 }, { -2 ^ 53, 2 ^ 53 }, { 0 / 0, 1 }, { 1, 1e300 }, { 2 ^ 31 - 1, -2 ^ 31 } }) do
    pcall(table.unpack, {}, pair[1], pair[2])
end
print("alive")
