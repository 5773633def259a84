-- Redirects that lead round in a circle end.
-- prints: nil	Too many redirects
local port = fs.open("/port", "r").readAll()
local response, message = http.get("http://127.0.0.1:" .. port .. "/round")
print(response, message)
