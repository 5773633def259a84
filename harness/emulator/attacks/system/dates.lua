-- Dates of any year are texts or refused.
-- prints: alive
for _, time in ipairs({ 0 / 0, 1 / 0, -1 / 0, 1e300, -1e300, 2 ^ 63, -2 ^ 63, 2 ^ 40 }) do
    for _, format in ipairs({ "%c", "*t", "!*t", "!%c", "%Y", "%", "%E", "%Q", "" }) do pcall(os.date, format, time) end
end
print("alive")
