-- cc.internal.gps_locate: finds where the computer is from its distances to hosts that
-- know where they are.

-- Positions are told to this many metres.
local PRECISION = 0.01
-- Hosts whose cross product is shorter stand on a line, from which all directions look
-- the same.
local NARROWEST = 0.001

---@class Fix what one host has answered
---@field at table where it is, a vector
---@field distance number

--- Finds the points where three spheres meet: two planes go through the circles where
--- they cross, and the first sphere cuts the line where the planes meet.
---@return table|nil point nil if the hosts stand on a line
---@return table|nil other
local function meeting_points(first, second, third)
    local b, c = second.at - first.at, third.at - first.at
    local normal = b:cross(c)
    local length = normal:length()
    -- Also if it is no number, as when a host says so of its position.
    if length <= NARROWEST or length ~= length then return nil end

    local radius = first.distance ^ 2
    local plane_b = (radius - second.distance ^ 2 + b:dot(b)) / 2
    local plane_c = (radius - third.distance ^ 2 + c:dot(c)) / 2
    local foot = (c:cross(normal) * plane_b + normal:cross(b) * plane_c) / length ^ 2

    local rest = radius - foot:dot(foot)
    local offset = normal * (math.sqrt(math.max(rest, 0)) / length)
    local point = (first.at + foot + offset):round(PRECISION)
    local other = (first.at + foot - offset):round(PRECISION)
    if point == other then return point end
    return point, other
end

---@class Search
---@field fixes Fix[]
---@field point table|nil
---@field other table|nil another place where the computer could be
local Search = {}
Search.__index = Search

--- Keeps an answer; of a host that answers again the last one counts.
function Search:remember(fix)
    for index, known in ipairs(self.fixes) do
        if known.at == fix.at then
            self.fixes[index] = fix
            return
        end
    end
    table.insert(self.fixes, fix)
end

--- Looks for two hosts that stand around the position together with this one.
function Search:triangulate(fix)
    local fixes = self.fixes
    for first = 1, #fixes do
        for second = first + 1, #fixes do
            local new = fixes[first] ~= fix and fixes[second] ~= fix
            if new then self.point, self.other = meeting_points(fixes[first], fixes[second], fix) end
            if self.point then return end
        end
    end
end

--- Chooses the point whose distance fits better, if one of them does.
function Search:choose(fix)
    local function error_of(point) return math.abs((point - fix.at):length() - fix.distance) end
    local difference = error_of(self.point) - error_of(self.other)
    if math.abs(difference) < PRECISION then return end
    if difference > 0 then self.point = self.other end
    self.other = nil
end

--- Learns from an answer.
---@return boolean found whether there is only one place left
function Search:learn(fix)
    if fix.distance == 0 then
        self.point, self.other = fix.at, nil
        return true
    end
    self:remember(fix)
    if self.other then
        self:choose(fix)
    else
        self:triangulate(fix)
    end
    return self.point ~= nil and not self.other
end

--- Finds a wireless modem.
---@return string|nil side
local function wireless_side()
    for _, name in ipairs(rs.getSides()) do
        local is_modem = peripheral.getType(name) == "modem"
        if is_modem and peripheral.call(name, "isWireless") then return name end
    end
    return nil
end

--- Reads an answer out of an event.
---@return Fix|nil
local function fix_of(side, channel, event)
    local name, from_side, to, reply_to, message, distance = table.unpack(event, 1, 6)
    if name ~= "modem_message" or from_side ~= side or to ~= channel or reply_to ~= channel then return nil end
    if not distance or type(message) ~= "table" or #message ~= 3 then return nil end
    for index = 1, 3 do
        if not tonumber(message[index]) then return nil end
    end
    return { at = vector.new(message[1], message[2], message[3]), distance = distance }
end

--- Locates the computer.
---@param timeout number
---@param say fun(text: string) tells what is going on
---@param channel number
---@return number|nil x, number|nil y, number|nil z
return function(timeout, say, channel)
    local side = wireless_side()
    if not side then
        say("No wireless modem attached")
        return nil
    end

    say("Finding position...")
    local modem = peripheral.wrap(side)
    local was_open = modem.isOpen(channel)
    if not was_open then modem.open(channel) end
    modem.transmit(channel, channel, "PING")

    local search = setmetatable({ fixes = {} }, Search)
    local deadline = os.startTimer(timeout)
    local done = false
    while not done do
        local event = table.pack(os.pullEvent())
        local fix = fix_of(side, channel, event)
        if fix then
            say(fix.distance .. " metres from " .. tostring(fix.at))
            done = search:learn(fix)
        end
        done = done or (event[1] == "timer" and event[2] == deadline)
    end
    if not was_open then modem.close(channel) end

    local point, other = search.point, search.other
    if not point then
        say("Could not determine position")
        return nil
    elseif other then
        say("Ambiguous position")
        say("Could be " .. tostring(point) .. " or " .. tostring(other))
        return nil
    end
    say("Position is " .. tostring(point))
    return point.x, point.y, point.z
end
