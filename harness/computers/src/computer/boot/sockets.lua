-- Closes the WebSockets of a program before its computer turns off or reboots: CraftOS-PC may crash where one is open.

local sockets = {}

-- Open sockets, each with its address. They are not kept from being collected.
local open = setmetatable({}, { __mode = "k" })

--- Sees every event before the program does.
---@param event table
function sockets.watch(event)
    if event[1] == "websocket_success" and type(event[3]) == "table" then
        open[event[3]] = event[2]
    elseif event[1] == "websocket_closed" then
        for socket, url in pairs(open) do
            if url == event[2] then
                open[socket] = nil
                return
            end
        end
    end
end

--- Closes what is open and waits until the emulator says that it is closed, for so long at most. The program does not
--- run meanwhile.
---@param patience number
function sockets.close(patience)
    local held = {}
    local function close_all()
        for socket in pairs(open) do
            if not held[socket] then
                held[socket] = true
                pcall(socket.close)
            end
        end
    end
    close_all()
    if patience == 0 or not next(open) then
        return
    end
    local timer = os.startTimer(patience)
    while next(open) do
        local event = table.pack(coroutine.yield())
        if event[1] == "timer" and event[2] == timer then
            return
        end
        sockets.watch(event)
        close_all()
    end
end

return sockets
