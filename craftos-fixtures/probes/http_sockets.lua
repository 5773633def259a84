-- http: WebSockets, from both sides.

local file = fs.open("/server", "r")
local base = "ws://" .. file.readAll() .. "/socket/"
file.close()

local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do results[index] = ("%q"):format(tostring(results[index])) end
    print(label, results.n, table.concat(results, " "))
end

local socket = http.websocket(base .. "one", { ["X-One"] = "1" })
local names = {}
for name in pairs(socket) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, " "))
socket.send("headers")
try("headers", socket.receive)
for _, text in ipairs({ "", "text", "a\0b", "\200\255", ("x"):rep(200), ("y"):rep(70000), ("z"):rep(131072) }) do
    socket.send(text)
    local answer, binary = socket.receive()
    print("text", #text, answer == text, binary)
    socket.send(text, true)
    answer, binary = socket.receive(5)
    print("bytes", #text, answer == text, binary)
end
try("too large", socket.send, ("x"):rep(131073))
socket.send(12)
try("a number", socket.receive)
try("nothing", socket.send)
try("a table", socket.send, {})
socket.send("three")
for _ = 1, 3 do print(socket.receive()) end
try("no message", socket.receive, 0)

-- What is asked for with an event.
socket.send("again")
print(select(3, os.pullEvent("websocket_message")))

-- The server closes.
socket.send("close 4001 enough")
local event = table.pack(os.pullEvent("websocket_closed"))
print(event.n, event[1], event[2] == base .. "one", event[3], event[4])
try("send to a closed one", socket.send, "x")
try("receive from a closed one", socket.receive)
try("close a closed one", socket.close)

-- It does not open.
print(http.websocket(base .. "refused"))
