-- Closes the WebSockets of a program before its computer turns off or reboots, and waits until the emulator has let go
-- of them: CraftOS-PC crashes where it still holds one.

-- How long the emulator may take to close sockets before the computer turns off; 0 where it need not be waited for. And
-- what tells a function of the emulator from one in Lua: a socket that is a stub is nothing that the emulator holds.
local ids, patience, is_native = ...

local sockets = {}

-- How long the other side may take to close a socket that it was asked to; it needs some milliseconds.
local OTHERS_S = 1

-- How often it is looked whether the emulator has let go of a socket: no event tells that. CraftOS-PC needs some
-- microseconds, and longer only on a busy machine.
local LOOK_S = 0.01

-- Sockets that the program can still reach, by each of their functions. They are not kept from being collected.
local reachable = setmetatable({}, { __mode = "k" })

-- Closed sockets that the emulator still holds. They are kept from being collected: a thread of CraftOS-PC has the
-- address of each, and writes there when it lets go.
local ending = {}

-- How many are open at each address. Counted, because the event of a closed socket names its address only: a program
-- that links again has two sockets at one address while the first is being closed.
local open = {}

--- Starts a `receive` that is only ever woken to see whether it returns. It does so at any event once the emulator has
--- let go of its socket, and waits on before that.
local function start_probe(receive)
    local probe = coroutine.create(receive)
    coroutine.resume(probe)
    return probe
end

local function is_held(socket)
    if coroutine.status(socket.probe) ~= "dead" then
        coroutine.resume(socket.probe, "harness: has the emulator let go of the socket")
    end
    return coroutine.status(socket.probe) ~= "dead"
end

--- Whether a socket is closed. `receive` says so before it looks at its argument; this one is wrong, so that an open
--- socket refuses it and nothing else happens.
local function is_closed(socket)
    local _, reason = pcall(socket.receive, false)
    return tostring(reason):find("closed", 1, true) ~= nil
end

--- Moves the sockets that are closed to those that are ending, and forgets those that the emulator has let go of.
local function look()
    for _, socket in pairs(reachable) do
        local is_watched = socket.probe and not socket.is_over and not ending[socket]
        if is_watched and is_closed(socket) then
            ending[socket] = true
        end
    end
    for socket in pairs(ending) do
        if not is_held(socket) then
            ending[socket], socket.is_over = nil, true
        end
    end
end

--- Sees every event before the program does.
---@param event table
function sockets.watch(event)
    local name, url, handle = event[1], event[2], event[3]
    -- A program may queue such an event itself, with anything in it.
    if name == "websocket_success" and type(url) == "string" and type(handle) == "table" then
        local socket = { receive = rawget(handle, "receive"), close = rawget(handle, "close") }
        if patience > 0 and is_native(socket.receive) then
            socket.probe = start_probe(socket.receive)
        end
        for _, method in next, handle do
            if type(method) == "function" then
                reachable[method] = socket
            end
        end
        open[url] = (open[url] or 0) + 1
    elseif name == "websocket_closed" and open[url] then
        open[url] = open[url] > 1 and open[url] - 1 or nil
    end
    if patience > 0 then
        look()
    end
end

--- Waits until the emulator says that everything is closed and has let go of it, for so long at most. The program does
--- not run meanwhile.
local function wait(longest, each)
    if patience == 0 then
        return
    end
    look()
    local timer, again = ids.start_tick(longest), ids.start_tick(LOOK_S)
    while next(open) or next(ending) do
        local event = table.pack(coroutine.yield())
        if event[1] == "timer" and event[2] == timer then
            return
        elseif event[1] == "timer" and event[2] == again then
            again = ids.start_tick(LOOK_S)
        end
        sockets.watch(event)
        each()
    end
end

--- Closes what is open, and waits for its end. Where others close their side, they are waited for first: a socket that
--- the computer closes itself takes CraftOS-PC a second.
---@param others_close boolean|nil
function sockets.close(others_close)
    local function close_all()
        for _, socket in pairs(reachable) do
            if not socket.is_over then
                pcall(socket.close)
            end
        end
    end
    if others_close then
        wait(OTHERS_S, function() end)
    end
    close_all()
    wait(patience, close_all)
end

return sockets
