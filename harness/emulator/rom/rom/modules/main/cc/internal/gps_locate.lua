-- cc.internal.gps_locate: finds a position from distances, for gps.locate.
--
-- What it uses of the computer comes from the environment of the API, so that an API
-- in another environment works there.

--- Finds the one or two points with given distances from three others.
---@return Vector|nil, Vector|nil
local function trilaterate(a, b, c)
    local a_to_b, a_to_c = b.position - a.position, c.position - a.position
    -- Three points on one line say nothing about the position around that line.
    if math.abs(a_to_b:normalize():dot(a_to_c:normalize())) > 0.999 then return nil end

    local length_ab = a_to_b:length()
    local x_axis = a_to_b:normalize()
    local i = x_axis:dot(a_to_c)
    local y_axis = (a_to_c - x_axis * i):normalize()
    local j = y_axis:dot(a_to_c)
    local z_axis = x_axis:cross(y_axis)

    local r1, r2, r3 = a.distance, b.distance, c.distance
    local x = (r1 * r1 - r2 * r2 + length_ab * length_ab) / (2 * length_ab)
    local y = (r1 * r1 - r3 * r3 - x * x + (x - i) * (x - i) + j * j) / (2 * j)
    local foot = a.position + x_axis * x + y_axis * y

    local z_squared = r1 * r1 - x * x - y * y
    if z_squared <= 0 then return foot:round(0.01) end
    local z = math.sqrt(z_squared)
    local one, other = (foot + z_axis * z):round(0.01), (foot - z_axis * z):round(0.01)
    if one.x == other.x and one.y == other.y and one.z == other.z then return one end
    return one, other
end

--- Chooses between two points by a further distance.
---@return Vector, Vector|nil
local function narrow(one, other, fix)
    local one_error = math.abs((one - fix.position):length() - fix.distance)
    local other_error = math.abs((other - fix.position):length() - fix.distance)
    if math.abs(one_error - other_error) < 0.01 then return one, other end
    if one_error < other_error then return one:round(0.01) end
    return other:round(0.01)
end

--- Finds the name of a wireless modem.
local function wireless_modem(env)
    for _, side in ipairs(env.rs.getSides()) do
        if env.peripheral.getType(side) == "modem" and env.peripheral.call(side, "isWireless") then return side end
    end
    return nil
end

--- Adds a fix, unless one from the same place is there.
local function add_fix(fixes, fix)
    for _, known in ipairs(fixes) do
        if known.position.x == fix.position.x and known.position.y == fix.position.y
            and known.position.z == fix.position.z then
            return false
        end
    end
    fixes[#fixes + 1] = fix
    return true
end

---@param env table the environment of the API
---@param channel_gps number
---@param timeout number seconds
---@param verbose boolean|nil prints what happens
---@return number|nil x, number|nil y, number|nil z
return function(env, channel_gps, timeout, verbose)
    -- A command computer knows where it is.
    if env.commands then return env.commands.getBlockPosition() end

    local modem = wireless_modem(env)
    if not modem then
        if verbose then env.print("No wireless modem attached") end
        return nil
    end
    if verbose then env.print("Finding position...") end

    local was_open = env.peripheral.call(modem, "isOpen", channel_gps)
    if not was_open then env.peripheral.call(modem, "open", channel_gps) end
    env.peripheral.call(modem, "transmit", channel_gps, channel_gps, "PING")

    local fixes = {}
    local one, other
    local timer = env.os.startTimer(timeout)
    while true do
        local event, id, channel, reply_channel, message, distance = env.os.pullEvent()
        if event == "timer" and id == timer then break end
        if event == "modem_message" and id == modem and channel == channel_gps
            and reply_channel == channel_gps and distance and type(message) == "table"
            and #message == 3 and tonumber(message[1]) and tonumber(message[2]) and tonumber(message[3]) then
            local fix = { position = env.vector.new(message[1], message[2], message[3]), distance = distance }
            if verbose then env.print(distance .. " metres from " .. tostring(fix.position)) end
            if distance == 0 then
                one, other = fix.position, nil
            elseif add_fix(fixes, fix) and #fixes >= 3 then
                if not one then
                    one, other = trilaterate(fixes[1], fixes[2], fixes[#fixes])
                elseif other then
                    one, other = narrow(one, other, fix)
                end
            end
            if one and not other then break end
        end
    end

    if not was_open then env.peripheral.call(modem, "close", channel_gps) end

    if one and other then
        if verbose then
            env.print("Ambiguous position")
            env.print("Could be " .. one.x .. "," .. one.y .. "," .. one.z
                .. " or " .. other.x .. "," .. other.y .. "," .. other.z)
        end
        return nil
    elseif one then
        if verbose then env.print("Position is " .. one.x .. "," .. one.y .. "," .. one.z) end
        return one.x, one.y, one.z
    end
    if verbose then env.print("Could not determine position") end
    return nil
end
