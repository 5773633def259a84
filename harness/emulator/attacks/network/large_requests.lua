-- A request that is larger than the memory is not made.
-- settings: {"memoryLimit": 33554432}
-- memory: 200 MiB
-- prints: false
local port = fs.open("/port", "r").readAll()
local headers, long = {}, ("x"):rep(1e6)
for i = 1, 10000 do headers["X" .. i] = long end
local ok, response = pcall(http.get, "http://127.0.0.1:" .. port .. "/", headers)
print(ok and response ~= nil)
