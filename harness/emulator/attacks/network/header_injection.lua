-- Headers and methods cannot smuggle a second request.
-- prints: 0
local port = fs.open("/port", "r").readAll()
local url, reached = "http://127.0.0.1:" .. port .. "/", 0
for _, headers in ipairs({ { ["X"] = "a\r\nY: b" }, { ["X\r\nY"] = "a" }, { ["X: y\r\n\r\nGET /"] = "a" }, { ["X"] = "a\nb" } }) do
    local ok, response = pcall(http.get, url, headers)
    if ok and response then reached = reached + 1 end
end
for _, method in ipairs({ "GET / HTTP/1.1\r\nX: y", "GET\n", "", "\0" }) do
    local ok, response = pcall(http.get, { url = url, method = method })
    if ok and response then reached = reached + 1 end
end
print(reached)
