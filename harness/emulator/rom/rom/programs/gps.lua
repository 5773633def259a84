-- gps: hosts a position, or finds this computer's.

local arguments = { ... }

local function usage()
    local name = arg and arg[0] or "gps"
    print("Usages:")
    print(name .. " host")
    print(name .. " host <x> <y> <z>")
    print(name .. " locate")
end

--- Finds a wireless modem.
local function wireless_modem()
    for _, side in ipairs(rs.getSides()) do
        if peripheral.getType(side) == "modem" and peripheral.call(side, "isWireless") then return side end
    end
    return nil
end

--- Answers the questions of other computers for ever.
local function serve(modem, x, y, z)
    print("Opening channel on modem " .. modem)
    peripheral.call(modem, "open", gps.CHANNEL_GPS)
    local served = 0
    while true do
        local _, side, channel, reply_channel, message, distance = os.pullEvent("modem_message")
        if side == modem and channel == gps.CHANNEL_GPS and message == "PING" and distance then
            peripheral.call(modem, "transmit", reply_channel, gps.CHANNEL_GPS, { x, y, z })
            served = served + 1
            if served > 1 then
                local _, row = term.getCursorPos()
                term.setCursorPos(1, row - 1)
            end
            print(served .. " GPS requests served")
        end
    end
end

local command = arguments[1]
if command == "locate" then
    gps.locate(2, true)
elseif command == "host" then
    if pocket then
        print("GPS Hosts must be stationary")
        return
    end
    local modem = wireless_modem()
    if not modem then
        print("No wireless modems found. 1 required.")
        return
    end

    local x, y, z
    if #arguments >= 4 then
        x, y, z = tonumber(arguments[2]), tonumber(arguments[3]), tonumber(arguments[4])
        if not (x and y and z) then
            usage()
            return
        end
        print("Position is " .. x .. "," .. y .. "," .. z)
    else
        x, y, z = gps.locate(2, true)
        if not x then
            print("Run \"" .. (arg[0] or "gps") .. " host <x> <y> <z>\" to set position manually")
            return
        end
    end
    serve(modem, x, y, z)
else
    usage()
end
