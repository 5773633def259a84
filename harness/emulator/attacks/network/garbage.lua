-- What is not HTTP is no response.
-- prints: nil
local port = fs.open("/port", "r").readAll()
print((http.get("http://127.0.0.1:" .. port .. "/garbage")))
