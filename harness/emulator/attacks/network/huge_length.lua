-- A length that a server claims is not believed.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: nil
local port = fs.open("/port", "r").readAll()
print((http.get("http://127.0.0.1:" .. port .. "/huge-length")))
