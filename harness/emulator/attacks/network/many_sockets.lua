-- There is an end of sockets.
-- prints: alive
local port = fs.open("/port", "r").readAll()
for i = 1, 200 do pcall(http.websocketAsync, "ws://127.0.0.1:" .. port .. "/" .. i) end
os.pullEvent("websocket_failure")
print("alive")
