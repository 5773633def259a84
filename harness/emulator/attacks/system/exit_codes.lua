-- A code of any kind turns the computer off.
-- prints: alive
for _, code in ipairs({ {}, "x", print }) do pcall(os.shutdown, code) end
print("alive")
