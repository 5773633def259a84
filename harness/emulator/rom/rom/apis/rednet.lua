-- rednet: sends messages between computers over modems. Each computer listens on
-- a channel of its own; repeaters listen on one more.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local rednet = _ENV

rednet.CHANNEL_BROADCAST = 65535
rednet.CHANNEL_REPEAT = 65533
rednet.MAX_ID_CHANNELS = 65500

-- A message comes again over repeaters. Its number is remembered this long.
local REMEMBERED_SECONDS = 9.5
local PRUNE_SECONDS = 10
local LOOKUP_SECONDS = 2
local DNS_PROTOCOL = "dns"

-- By message number: when it may be forgotten.
local received_messages = {}
-- By protocol: the name that this computer has in it.
local hostnames = {}
local prune_received_timer

--- The channel of a computer: there are fewer channels than computers.
local function channel_of(id)
    return id % rednet.MAX_ID_CHANNELS
end

local function is_modem(name)
    return peripheral.getType(name) == "modem"
end

--- Listens on a modem.
---@param modem string
function rednet.open(modem)
    expect(1, modem, "string")
    if not is_modem(modem) then error("No such modem: " .. modem, 2) end
    peripheral.call(modem, "open", channel_of(os.getComputerID()))
    peripheral.call(modem, "open", rednet.CHANNEL_BROADCAST)
end

--- Stops listening on a modem, or on all.
---@param modem string|nil
function rednet.close(modem)
    expect(1, modem, "string", "nil")
    if modem then
        if not is_modem(modem) then error("No such modem: " .. modem, 2) end
        peripheral.call(modem, "close", channel_of(os.getComputerID()))
        peripheral.call(modem, "close", rednet.CHANNEL_BROADCAST)
        return
    end
    for _, name in ipairs(peripheral.getNames()) do
        if rednet.isOpen(name) then rednet.close(name) end
    end
end

--- Says whether a modem, or any, is listened on.
---@param modem string|nil
---@return boolean
function rednet.isOpen(modem)
    expect(1, modem, "string", "nil")
    if modem then
        if not is_modem(modem) then return false end
        return peripheral.call(modem, "isOpen", channel_of(os.getComputerID()))
            and peripheral.call(modem, "isOpen", rednet.CHANNEL_BROADCAST)
    end
    for _, name in ipairs(peripheral.getNames()) do
        if rednet.isOpen(name) then return true end
    end
    return false
end

--- Sends a message to a computer.
---@param recipient number
---@param message any
---@param protocol string|nil
---@return boolean whether a modem took it
function rednet.send(recipient, message, protocol)
    expect(1, recipient, "number")
    expect(3, protocol, "string", "nil")

    local id = os.getComputerID()
    local number = math.random(1, 2147483647)
    received_messages[number] = os.clock() + REMEMBERED_SECONDS
    if not prune_received_timer then prune_received_timer = os.startTimer(PRUNE_SECONDS) end

    if recipient == id then
        os.queueEvent("rednet_message", id, message, protocol)
        return true
    end

    local channel = recipient
    if channel ~= rednet.CHANNEL_BROADCAST then channel = channel_of(channel) end
    local envelope = {
        nMessageID = number,
        nRecipient = recipient,
        nSender = id,
        message = message,
        sProtocol = protocol,
    }

    local sent = false
    for _, name in ipairs(peripheral.getNames()) do
        if rednet.isOpen(name) then
            peripheral.call(name, "transmit", channel, channel_of(id), envelope)
            peripheral.call(name, "transmit", rednet.CHANNEL_REPEAT, channel_of(id), envelope)
            sent = true
        end
    end
    return sent
end

--- Sends a message to all computers.
---@param message any
---@param protocol string|nil
function rednet.broadcast(message, protocol)
    expect(2, protocol, "string", "nil")
    rednet.send(rednet.CHANNEL_BROADCAST, message, protocol)
end

--- Waits for a message.
---@param protocol_filter string|number|nil a number here is the timeout
---@param timeout number|nil
---@return number|nil sender
---@return any message
---@return string|nil protocol
function rednet.receive(protocol_filter, timeout)
    -- The old form has only the timeout.
    if type(protocol_filter) == "number" and timeout == nil then
        protocol_filter, timeout = nil, protocol_filter
    end
    expect(1, protocol_filter, "string", "nil")
    expect(2, timeout, "number", "nil")

    local timer = timeout and os.startTimer(timeout)
    while true do
        local event, sender, message, protocol = os.pullEvent(not timer and "rednet_message" or nil)
        if event == "rednet_message" then
            if protocol_filter == nil or protocol == protocol_filter then
                return sender, message, protocol
            end
        elseif event == "timer" and sender == timer then
            return nil
        end
    end
end

--- Takes a name in a protocol, so that others find this computer.
---@param protocol string
---@param hostname string
function rednet.host(protocol, hostname)
    expect(1, protocol, "string")
    expect(2, hostname, "string")
    if hostname == "localhost" then error("Reserved hostname", 2) end
    if hostnames[protocol] ~= hostname then
        if rednet.lookup(protocol, hostname) ~= nil then error("Hostname in use", 2) end
        hostnames[protocol] = hostname
    end
end

--- Gives the name in a protocol up.
---@param protocol string
function rednet.unhost(protocol)
    expect(1, protocol, "string")
    hostnames[protocol] = nil
end

--- Finds the computers that serve a protocol, or the one with a name.
---@param protocol string
---@param hostname string|nil
---@return number ...
function rednet.lookup(protocol, hostname)
    expect(1, protocol, "string")
    expect(2, hostname, "string", "nil")

    local found = {}
    local own_name = hostnames[protocol]
    if own_name then
        if hostname == nil then
            found[1] = os.getComputerID()
        elseif hostname == "localhost" or hostname == own_name then
            return os.getComputerID()
        end
    end

    if not rednet.isOpen() then
        if hostname then return nil end
        return table.unpack(found)
    end

    rednet.broadcast({ sType = "lookup", sProtocol = protocol, sHostname = hostname }, DNS_PROTOCOL)
    local timer = os.startTimer(LOOKUP_SECONDS)
    while true do
        local event, id, message, message_protocol = os.pullEvent()
        if event == "timer" and id == timer then break end
        if event == "rednet_message" and message_protocol == DNS_PROTOCOL and type(message) == "table"
            and message.sType == "lookup response" and message.sProtocol == protocol then
            if hostname == nil then
                found[#found + 1] = id
            elseif message.sHostname == hostname then
                return id
            end
        end
    end
    if hostname then return nil end
    return table.unpack(found)
end

--- Turns a modem's message into an event, unless it is a stranger's or came before.
local function handle_modem_message(side, channel, reply_channel, envelope)
    local id = os.getComputerID()
    if channel ~= channel_of(id) and channel ~= rednet.CHANNEL_BROADCAST then return end
    if type(envelope) ~= "table" or type(envelope.nMessageID) ~= "number"
        or envelope.nMessageID ~= envelope.nMessageID or received_messages[envelope.nMessageID] then
        return
    end
    if envelope.nRecipient and envelope.nRecipient ~= id and envelope.nRecipient ~= rednet.CHANNEL_BROADCAST then return end
    if not rednet.isOpen(side) then return end

    received_messages[envelope.nMessageID] = os.clock() + REMEMBERED_SECONDS
    if not prune_received_timer then prune_received_timer = os.startTimer(PRUNE_SECONDS) end
    os.queueEvent("rednet_message", envelope.nSender or reply_channel, envelope.message, envelope.sProtocol)
end

--- Answers a question about the protocols that this computer serves.
local function handle_lookup(sender, message)
    if type(message) ~= "table" or message.sType ~= "lookup" then return end
    local own_name = hostnames[message.sProtocol]
    if own_name and (message.sHostname == nil or message.sHostname == own_name) then
        rednet.send(sender, {
            sType = "lookup response",
            sHostname = own_name,
            sProtocol = message.sProtocol,
        }, DNS_PROTOCOL)
    end
end

local started = false

--- Listens for as long as the computer runs. The system calls it once.
function rednet.run()
    if started then error("rednet is already running", 2) end
    started = true

    while true do
        local event, p1, p2, p3, p4 = os.pullEventRaw()
        if event == "modem_message" then
            handle_modem_message(p1, p2, p3, p4)
        elseif event == "rednet_message" and p3 == DNS_PROTOCOL then
            handle_lookup(p1, p2)
        elseif event == "timer" and p1 == prune_received_timer then
            prune_received_timer = nil
            local now = os.clock()
            local remaining
            for number, deadline in pairs(received_messages) do
                if deadline <= now then
                    received_messages[number] = nil
                else
                    remaining = true
                end
            end
            if remaining then prune_received_timer = os.startTimer(PRUNE_SECONDS) end
        end
    end
end
