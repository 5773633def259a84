-- Sending to a peer that takes nothing ends with the time.
-- prints: Too long without yielding
local port = fs.open("/port", "r").readAll()
local socket = http.websocket("ws://127.0.0.1:" .. port .. "/deaf")
local text = ("x"):rep(100000)
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function() while true do socket.send(text) end end)
sleep(0)
print((message:gsub("^.*: ", "")))
