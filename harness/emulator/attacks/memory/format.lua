-- Formats that grow end with an error.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	not enough memory
local long = ("x"):rep(1e6)
local texts = {}
for i = 1, 200 do texts[i] = long end
local ok, message = pcall(string.format, ("%s"):rep(200), table.unpack(texts))
print(ok, message)
