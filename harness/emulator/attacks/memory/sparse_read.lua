-- Nor is a part of it that is larger than the memory.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	false
local file = fs.open("/sparse", "w")
file.seek("set", 2e9)
file.write("x")
file.close()
file = fs.open("/sparse", "rb")
print((pcall(file.read, 1e9)), (pcall(file.read, 2 ^ 53)))
file.close()
fs.delete("/sparse")
