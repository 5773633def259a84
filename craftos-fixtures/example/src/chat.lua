-- A chat over a WebSocket: what is typed is sent, what comes is printed.

local socket, why = http.websocket("wss://chat.example/room")
if not socket then
    printError("No chat: " .. why)
    return
end

parallel.waitForAny(function()
    while true do
        socket.send(read())
    end
end, function()
    while true do
        local message = socket.receive()
        if not message then
            print("The room is closed")
            return
        end
        print("> " .. message)
    end
end)
