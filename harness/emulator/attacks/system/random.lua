-- Ranges of any kind are taken or refused.
-- prints: alive
for _, low in ipairs({ 0, 1e300, -1e300, 0 / 0, 2 ^ 53, -2 ^ 63 }) do
    for _, high in ipairs({ 0, 1e300, -1e300, 0 / 0, 2 ^ 53, 2 ^ 63 }) do
        pcall(math.random, low, high) pcall(math.random, high) pcall(math.randomseed, low)
    end
end
print("alive")
