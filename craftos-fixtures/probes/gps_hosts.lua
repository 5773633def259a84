-- gps.locate with hosts that a made-up modem hears: distances, ambiguous and wrong answers.

local hosts, calls, opened
local modem = {}
function modem.isWireless() return true end
function modem.isOpen(channel) return opened[channel] or false end
function modem.open(channel)
    calls[#calls + 1] = "open " .. channel
    opened[channel] = true
end
function modem.close(channel)
    calls[#calls + 1] = "close " .. channel
    opened[channel] = nil
end
function modem.transmit(channel, reply, message)
    calls[#calls + 1] = ("transmit %d %d %s"):format(channel, reply, tostring(message))
    for _, host in ipairs(hosts) do
        local answer = host.message or { host[1], host[2], host[3] }
        os.queueEvent("modem_message", host.side or "left", host.to or 65534, host.from or 65534, answer, host.distance)
    end
end

local real = {}
for name, fn in pairs(peripheral) do real[name] = fn end
function peripheral.call(_, method, ...) return modem[method](...) end
function peripheral.getNames() return { "left" } end
function peripheral.getType(name) return name == "left" and "modem" or nil end
function peripheral.hasType(name, wanted) return name == "left" and wanted == "modem" end
function peripheral.wrap() return modem end
function peripheral.isPresent(name) return name == "left" end
function peripheral.find(_, filter) return (not filter or filter("left", modem)) and modem or nil end

local screen = window.create(term.current(), 1, 1, 60, 19, false)
local function show(label, list)
    hosts, calls, opened = list, {}, {}
    screen.clear()
    screen.setCursorPos(1, 1)
    local previous = term.redirect(screen)
    local results = table.pack(pcall(gps.locate, 0.1, true))
    term.redirect(previous)
    print(label, table.unpack(results, 1, results.n))
    local _, last = screen.getCursorPos()
    for y = 1, last - 1 do print("  " .. screen.getLine(y):gsub(" +$", "")) end
    -- How the modem is asked whether it is wireless or open is the API's own.
    print("  " .. table.concat(calls, ", "))
    os.queueEvent("all answers are read")
    os.pullEvent("all answers are read")
end

--- Gives hosts the distances that they have to a place.
local function seen_from(x, y, z, places)
    for _, place in ipairs(places) do
        place.distance = math.sqrt((place[1] - x) ^ 2 + (place[2] - y) ^ 2 + (place[3] - z) ^ 2)
    end
    return places
end

show("none", {})
show("one", seen_from(1, 2, 3, { { 0, 0, 0 } }))
show("two", seen_from(1, 2, 3, { { 0, 0, 0 }, { 10, 0, 0 } }))
show("four", seen_from(1, 2, 3, { { 0, 0, 0 }, { 10, 0, 0 }, { 0, 10, 0 }, { 0, 0, 10 } }))
show("in the plane", seen_from(1, 2, 0, { { 0, 0, 0 }, { 10, 0, 0 }, { 0, 10, 0 } }))
show("three", seen_from(1, 2, 3, { { 0, 0, 0 }, { 10, 0, 0 }, { 0, 10, 0 } }))
show("one plane", seen_from(1, 2, 3, { { 0, 0, 0 }, { 10, 0, 0 }, { 0, 10, 0 }, { 10, 10, 0 } }))
show("a line", seen_from(1, 2, 3, { { 0, 0, 0 }, { 10, 0, 0 }, { 20, 0, 0 }, { 30, 0, 0 } }))
show("twice the same", seen_from(1, 2, 3, { { 0, 0, 0 }, { 0, 0, 0 }, { 10, 0, 0 }, { 0, 10, 0 }, { 0, 0, 10 } }))
show("fractions", seen_from(1.5, 2.25, 3.125, { { 0, 0, 0 }, { 10, 0, 0 }, { 0, 10, 0 }, { 0, 0, 10 } }))
show("negative", seen_from(-100, 64, -250, { { -90, 80, -240 }, { -110, 80, -240 }, { -90, 80, -260 }, { -100, 90, -250 } }))
show("here", seen_from(5, 5, 5, { { 5, 5, 5 } }))
show("no answers", {
    { message = "text", distance = 5 },
    { message = { 1, 2 }, distance = 5 },
    { message = { 1, 2, "x" }, distance = 5 },
    { 1, 2, 3 },
    { 1, 2, 3, distance = 5, to = 5 },
    { 1, 2, 3, distance = 5, side = "right" },
    { 1, 2, 3, distance = 5, from = 7 },
})
for name, fn in pairs(real) do peripheral[name] = fn end
