-- Only HTTP and WebSocket leave a computer.
-- prints: 0
local reached = 0
for _, url in ipairs({ "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "data:text/plain,x", "http:///", "http://", "//", "", "\0", "http://x\r\ny/" }) do
    local ok, response = pcall(http.get, url)
    if ok and response then reached = reached + 1 end
    ok, response = pcall(http.websocket, url)
    if ok and response then reached = reached + 1 end
end
print(reached)
