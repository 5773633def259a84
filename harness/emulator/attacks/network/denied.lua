-- A denied address is not reached.
-- settings: {"http_blacklist": ["127.0.0.1"]}
-- prints: nil
local port = fs.open("/port", "r").readAll()
print((http.get("http://127.0.0.1:" .. port .. "/")))
