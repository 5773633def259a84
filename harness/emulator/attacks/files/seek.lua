-- Positions are taken or refused.
-- prints: alive
local file = fs.open("/x", "r+") or fs.open("/x", "w+")
for _, whence in ipairs({ "set", "cur", "end", "nowhere" }) do
    for _, offset in ipairs({ -1, 1e300, 0 / 0, -1e300, 2 ^ 63, 2 ^ 53, 0.5 }) do
        pcall(file.seek, whence, offset)
        pcall(file.read, 1)
    end
end
file.close()
print("alive")
