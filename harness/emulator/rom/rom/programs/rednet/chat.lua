-- chat: a conversation between computers, over rednet.

local arguments = { ... }

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usages:")
    print(name .. " host <hostname>")
    print(name .. " join <hostname> <nickname>")
end

--- Opens the modems; returns whether there is any.
local function open_modems()
    local any = false
    for _, name in ipairs(peripheral.getNames()) do
        if peripheral.getType(name) == "modem" then
            if not rednet.isOpen(name) then rednet.open(name) end
            any = true
        end
    end
    if not any then print("No modems found.") end
    return any
end

local function host(hostname)
    rednet.host("chat", hostname)
    print("0 users connected.")
    local users = {}

    local function send_all(text)
        for id in pairs(users) do rednet.send(id, { sType = "text", sText = text }, "chat") end
    end

    while true do
        local sender, message = rednet.receive("chat")
        if type(message) == "table" then
            if message.sType == "login" and type(message.sUsername) == "string" then
                users[sender] = message.sUsername
                send_all("* " .. message.sUsername .. " has joined the chat")
            elseif message.sType == "logout" and users[sender] then
                local name = users[sender]
                users[sender] = nil
                send_all("* " .. name .. " has left the chat")
            elseif message.sType == "chat" and users[sender] and type(message.sText) == "string" then
                send_all("<" .. users[sender] .. "> " .. message.sText)
            end
        end
    end
end

local function join(hostname, nickname)
    write("Looking up " .. hostname .. "... ")
    local server = rednet.lookup("chat", hostname)
    if not server then
        print("Failed.")
        return
    end
    print("Success.")
    rednet.send(server, { sType = "login", sUsername = nickname }, "chat")

    parallel.waitForAny(function()
        while true do
            local sender, message = rednet.receive("chat")
            if sender == server and type(message) == "table" and message.sType == "text" then print(message.sText) end
        end
    end, function()
        while true do
            local text = read()
            if text == "/logout" then return end
            rednet.send(server, { sType = "chat", sText = text }, "chat")
        end
    end)
    rednet.send(server, { sType = "logout" }, "chat")
    print("Logged out.")
end

if arguments[1] == "host" and arguments[2] then
    if open_modems() then host(arguments[2]) end
elseif arguments[1] == "join" and arguments[3] then
    if open_modems() then join(arguments[2], arguments[3]) end
else
    usage()
end
