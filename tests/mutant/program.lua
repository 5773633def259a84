-- The program `mcp-computer`, wrong in the way that `WAY` names: it stands between the program and its link.

local real = assert(loadfile("/programs/right.lua", "t", _ENV))

--- What is sent in the place of a frame.
---@param frame string
---@return string[]
local function change(frame)
    local is_answer = frame:find('"type":"response"', 1, true) ~= nil
    if WAY == "drops-the-last-newline" and is_answer then
        return { (frame:gsub('\\n"', '"')) }
    elseif WAY == "swaps-a-byte" and frame:find('"type":"part"', 1, true) then
        return { (frame:gsub("xxx", "xyx", 1)) }
    elseif WAY == "answers-twice" and is_answer then
        return { frame, frame }
    elseif WAY == "says-another-error" and is_answer then
        return { (frame:gsub("no door", "no floor")) }
    elseif WAY == "hears-everything" and os.getComputerID() == 14 and frame:find('"type":"output"', 1, true) then
        -- A chunk of the computer outside listens by now.
        os.queueEvent("modem_message", "top", 42, 43, { text = "h\xc3\xa4y" }, 1)
    end
    return { frame }
end

--- Changes what goes out on a socket.
local function stand_between(socket)
    local send = socket.send
    function socket.send(frame, ...)
        for _, changed in ipairs(change(frame)) do
            send(changed, ...)
        end
    end
end

local arguments = table.pack(...)
local program = coroutine.create(function()
    return real(table.unpack(arguments, 1, arguments.n))
end)
local event = { n = 0 }
while true do
    local ok, filter = coroutine.resume(program, table.unpack(event, 1, event.n))
    if not ok then
        error(filter, 0)
    elseif coroutine.status(program) == "dead" then
        return
    end
    event = table.pack(coroutine.yield(filter))
    if event[1] == "websocket_success" then
        stand_between(event[3])
    end
end
