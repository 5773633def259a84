-- Many requests at once are made one after the other or refused.
-- prints: alive
local port = fs.open("/port", "r").readAll()
for _ = 1, 500 do pcall(http.request, "http://127.0.0.1:" .. port .. "/") end
os.pullEvent("http_success")
print("alive")
