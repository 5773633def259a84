-- A redirect to a denied address is not followed.
-- settings: {"http_blacklist": ["127.0.0.2"]}
-- prints: nil
local port = fs.open("/port", "r").readAll()
print((http.get("http://127.0.0.1:" .. port .. "/to-denied")))
