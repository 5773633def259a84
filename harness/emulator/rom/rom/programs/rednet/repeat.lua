-- repeat: sends what one modem hears of rednet out again on all modems.

-- Not every environment that runs it has `require`.
local helper = require and require("cc.internal.program") or dofile("rom/modules/main/cc/internal/program.lua")
local program = helper(arg, shell, ...)

-- A message is not repeated again within this time.
local REMEMBERED_SECONDS = 30

local modems = {}
for _, name in ipairs(peripheral.getNames()) do
    if peripheral.getType(name) == "modem" then table.insert(modems, name) end
end
if #modems == 0 then return print("No modems found.") end
print(#modems == 1 and "1 modem found." or #modems .. " modems found.")

local function on_all(method, ...)
    for _, name in ipairs(modems) do peripheral.call(name, method, ...) end
end

--- Finds the channel that a computer listens on.
local function channel_of(recipient)
    if recipient == rednet.CHANNEL_BROADCAST then return recipient end
    return recipient % rednet.MAX_ID_CHANNELS
end

local repeated, forgotten_at = {}, {}
local tell, count = program.status_line(), 0

local function tell_count()
    tell(count == 1 and "1 message repeated." or count .. " messages repeated.")
end

--- Repeats a message unless that was done.
local function forward(message, reply_channel)
    local id, recipient = message.nMessageID, message.nRecipient
    if not id or repeated[id] or type(recipient) ~= "number" then return end
    repeated[id] = true
    forgotten_at[os.startTimer(REMEMBERED_SECONDS)] = id
    for _, name in ipairs(modems) do
        peripheral.call(name, "transmit", rednet.CHANNEL_REPEAT, reply_channel, message)
        peripheral.call(name, "transmit", channel_of(recipient), reply_channel, message)
    end
    count = count + 1
    tell_count()
end

local handlers = {
    modem_message = function(_, channel, reply_channel, message)
        if channel == rednet.CHANNEL_REPEAT and type(message) == "table" then forward(message, reply_channel) end
    end,
    timer = function(id)
        local message = forgotten_at[id]
        if message then repeated[message], forgotten_at[id] = nil, nil end
    end,
}

local ok, problem = pcall(function()
    on_all("open", rednet.CHANNEL_REPEAT)
    tell_count()
    while true do
        local event = table.pack(os.pullEvent())
        local handle = handlers[event[1]]
        if handle then handle(table.unpack(event, 2, event.n)) end
    end
end)
if not ok then printError(problem) end
on_all("close", rednet.CHANNEL_REPEAT)
