-- monitor: runs a program on a monitor, or sets the size of its text.

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usage:")
    print("  " .. name .. " <name> <program> <arguments>")
    print("  " .. name .. " scale <name> <scale>")
end

local arguments = { ... }
if #arguments < 2 or (arguments[1] == "scale" and #arguments < 3) then
    usage()
    return
end

local function is_monitor(name)
    if peripheral.getType(name) == "monitor" then return true end
    print("No monitor named " .. name)
    return false
end

if arguments[1] == "scale" then
    local name = arguments[2]
    if not is_monitor(name) then return end
    local scale = tonumber(arguments[3])
    if not scale then
        print("Invalid scale: " .. arguments[3])
        return
    end
    local ok, message = pcall(peripheral.call, name, "setTextScale", scale)
    if not ok then print(message) end
    return
end

local name, command = arguments[1], arguments[2]
if not is_monitor(name) then return end
local path = shell.resolveProgram(command)
if not path then
    print("No such program: " .. command)
    return
end

print("Running " .. command .. " on monitor " .. name)

local previous = term.redirect(peripheral.wrap(name))
local task = coroutine.create(function()
    shell.run(command, table.unpack(arguments, 3))
end)

--- Gives an event to the program.
local function resume(...)
    local ok, filter = coroutine.resume(task, ...)
    if not ok then
        printError(filter)
        return nil
    end
    return filter
end

-- A touch on the monitor is a click for the program that runs there.
local timers = {}
pcall(function()
    local filter = resume()
    while coroutine.status(task) ~= "dead" do
        local event = table.pack(os.pullEventRaw())
        if filter == nil or event[1] == filter or event[1] == "terminate" then
            filter = resume(table.unpack(event, 1, event.n))
        end
        if coroutine.status(task) ~= "dead" and (filter == nil or filter == "mouse_click")
            and event[1] == "monitor_touch" and event[2] == name then
            timers[os.startTimer(0.1)] = { event[3], event[4] }
            filter = resume("mouse_click", 1, table.unpack(event, 3, event.n))
        end
        if coroutine.status(task) ~= "dead" and (filter == nil or filter == "term_resize")
            and event[1] == "monitor_resize" and event[2] == name then
            filter = resume("term_resize")
        end
        if coroutine.status(task) ~= "dead" and (filter == nil or filter == "mouse_up")
            and event[1] == "timer" and timers[event[2]] then
            filter = resume("mouse_up", 1, table.unpack(timers[event[2]], 1, 2))
            timers[event[2]] = nil
        end
    end
end)
term.redirect(previous)
