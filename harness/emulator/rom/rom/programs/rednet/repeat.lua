-- repeat: passes the messages of rednet on, so that they reach further.

local modems = {}
for _, name in ipairs(peripheral.getNames()) do
    if peripheral.getType(name) == "modem" then modems[#modems + 1] = name end
end
if #modems == 0 then
    print("No modems found.")
    return
elseif #modems == 1 then
    print("1 modem found.")
else
    print(#modems .. " modems found.")
end

-- The names stand in rednet; a computer may run this without that API.
local CHANNEL_REPEAT = rednet and rednet.CHANNEL_REPEAT or 65533
local CHANNEL_BROADCAST = rednet and rednet.CHANNEL_BROADCAST or 65535
local MAX_ID_CHANNELS = rednet and rednet.MAX_ID_CHANNELS or 65500

-- A message is passed on once within this time.
local REMEMBERED_SECONDS = 30

for _, modem in ipairs(modems) do peripheral.call(modem, "open", CHANNEL_REPEAT) end

local received, timers = {}, {}
local count = 0

local function pass_on(channel, reply_channel, message)
    if channel ~= CHANNEL_REPEAT or type(message) ~= "table" then return end
    if not message.nMessageID or not message.nRecipient or type(message.nRecipient) ~= "number" then return end
    if received[message.nMessageID] then return end
    received[message.nMessageID] = true
    timers[os.startTimer(REMEMBERED_SECONDS)] = message.nMessageID

    local target = message.nRecipient
    if target ~= CHANNEL_BROADCAST then target = target % MAX_ID_CHANNELS end
    for _, modem in ipairs(modems) do
        peripheral.call(modem, "transmit", CHANNEL_REPEAT, reply_channel, message)
        peripheral.call(modem, "transmit", target, reply_channel, message)
    end

    count = count + 1
    local _, row = term.getCursorPos()
    term.setCursorPos(1, row)
    term.clearLine()
    if count == 1 then
        term.write("1 message repeated")
    else
        term.write(count .. " messages repeated")
    end
end

local ok, problem = pcall(function()
    print("0 messages repeated")
    while true do
        local event, p1, p2, p3, p4 = os.pullEvent()
        if event == "modem_message" then
            pass_on(p2, p3, p4)
        elseif event == "timer" and timers[p1] then
            received[timers[p1]] = nil
            timers[p1] = nil
        end
    end
end)
if not ok then printError(problem) end

for _, modem in ipairs(modems) do peripheral.call(modem, "close", CHANNEL_REPEAT) end
