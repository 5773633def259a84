-- Paths of many long parts, and headers and names of the same text many times, are refused or counted.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
local long, list = ("x"):rep(1e6), {}
for i = 1, 5000 do list[i] = long end
pcall(fs.combine, table.unpack(list))
pcall(fs.find, table.concat({ long, long, long }, "*"))
pcall(os.queueEvent, table.unpack(list))
pcall(peripheral.call, table.unpack(list))
pcall(http.request, "http://127.0.0.1:1/", long, { a = long, b = long, c = long })
print("alive")
