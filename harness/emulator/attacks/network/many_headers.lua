-- Headers without end are not taken.
-- memory: 300 MiB
-- prints: nil
local port = fs.open("/port", "r").readAll()
print((http.get("http://127.0.0.1:" .. port .. "/many-headers")))
