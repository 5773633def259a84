-- Nor is one to a file of the host.
-- prints: nil
local port = fs.open("/port", "r").readAll()
print((http.get("http://127.0.0.1:" .. port .. "/to-file")))
