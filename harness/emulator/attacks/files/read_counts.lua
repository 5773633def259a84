-- A count of bytes is in range.
-- prints: alive
local file = fs.open("/attack.lua", "rb")
for _, count in ipairs({ -1, 2 ^ 31, 2 ^ 53, 1e300, 0 / 0, 1 / 0 }) do pcall(file.read, count) end
file.close()
print("alive")
