-- gps: finds out where the computer is, and tells others where they are.

-- Not every environment that runs it has `require`.
local helper = require and require("cc.internal.program") or dofile("rom/modules/main/cc/internal/program.lua")
local program = helper(arg, shell, ...)
local FORMS = { "host", "host <x> <y> <z>", "locate" }

--- Reads three coordinates; nil if one of them is no number.
local function coordinates(...)
    local read = {}
    for index = 1, 3 do read[index] = tonumber((select(index, ...))) end
    return #read == 3 and read or nil
end

local function wireless_modem()
    for _, name in ipairs(peripheral.getNames()) do
        local wireless = peripheral.getType(name) == "modem" and peripheral.call(name, "isWireless")
        if wireless then return name end
    end
    return nil
end

--- Answers everybody who asks, for ever.
local function serve(side, position)
    print("Opening channel on modem " .. side)
    peripheral.call(side, "open", gps.CHANNEL_GPS)
    local tell, served = program.status_line(), 0
    while true do
        local _, from, channel, reply_channel, message, distance = os.pullEvent("modem_message")
        local asked = from == side and channel == gps.CHANNEL_GPS and message == "PING" and distance
        if asked then
            peripheral.call(side, "transmit", reply_channel, gps.CHANNEL_GPS, position)
            served = served + 1
            tell(served .. " GPS requests served")
        end
    end
end

local function host(_, ...)
    if pocket then return print("GPS Hosts must be stationary") end
    local side = wireless_modem()
    if not side then return print("No wireless modems found. 1 required.") end

    if select("#", ...) >= 3 then
        local position = coordinates(...)
        if not position then return false end
        print("Position is " .. table.concat(position, ","))
        return serve(side, position)
    end
    local found = { gps.locate(2, true) }
    if found[1] then return serve(side, found) end
    print(("Run \"%s host <x> <y> <z>\" to set position manually"):format(program.name))
end

program:choose({
    host = host,
    locate = function() gps.locate(2, true) end,
}, table.unpack(FORMS))
