-- Closes the WebSockets of a program before its computer turns off or reboots: CraftOS-PC may crash where one is open.

local sockets = {}

-- How long the other side may take to close a socket that it was asked to; it needs some milliseconds.
local OTHERS_S = 1

-- Sockets that may be open, each with its address. They are not kept from being collected.
local handles = setmetatable({}, { __mode = "k" })

-- How many are open at each address. Counted, because the event of a closed socket names its address only: a program
-- that links again has two sockets at one address while the first is being closed.
local open = {}

--- Sees every event before the program does.
---@param event table
function sockets.watch(event)
    local name, url = event[1], event[2]
    if name == "websocket_success" and type(event[3]) == "table" then
        handles[event[3]] = url
        open[url] = (open[url] or 0) + 1
    elseif name == "websocket_closed" and open[url] then
        open[url] = open[url] > 1 and open[url] - 1 or nil
        if not open[url] then
            for socket, of in pairs(handles) do
                if of == url then
                    handles[socket] = nil
                end
            end
        end
    end
end

--- Waits until the emulator says that everything is closed, for so long at most. The program does not run meanwhile.
local function wait(patience, each)
    local timer = os.startTimer(patience)
    while next(open) do
        local event = table.pack(coroutine.yield())
        if event[1] == "timer" and event[2] == timer then
            return
        end
        sockets.watch(event)
        each()
    end
end

--- Closes what is open, and waits for its end for so long at most. Where others close their side, they are waited for
--- first: a socket that the computer closes itself takes CraftOS-PC a second.
---@param patience number
---@param others_close boolean|nil
function sockets.close(patience, others_close)
    local closed = {}
    local function close_all()
        for socket in pairs(handles) do
            if not closed[socket] then
                closed[socket] = true
                pcall(socket.close)
            end
        end
    end
    if others_close and patience > 0 then
        wait(OTHERS_S, function() end)
    end
    close_all()
    if patience > 0 then
        wait(patience, close_all)
    end
end

return sockets
