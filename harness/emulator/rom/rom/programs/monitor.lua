-- monitor: runs a program on a monitor, or sets the size of its text.

local program = require("cc.internal.program")(arg, shell, ...)

-- How long a touch of a monitor is taken to last.
local TOUCH_SECONDS = 0.1
local SMALLEST_SCALE, LARGEST_SCALE, SCALE_STEP = 0.5, 5, 0.5

local function usage()
    print("Usage:")
    for _, form in ipairs({ "<name> <program> <arguments>", "scale <name> <scale>" }) do
        print("  " .. program.name .. " " .. form)
    end
end

--- Says whether there is such a monitor, and tells if there is none.
local function is_there(name)
    local is_monitor = peripheral.getType(name) == "monitor"
    if not is_monitor then print("No monitor named " .. name) end
    return is_monitor
end

local function set_scale(name, text)
    if not is_there(name) then return end
    local scale = tonumber(text)
    local valid = scale and scale >= SMALLEST_SCALE and scale <= LARGEST_SCALE and scale % SCALE_STEP == 0
    if valid then
        peripheral.call(name, "setTextScale", scale)
    else
        print("Invalid scale: " .. text)
    end
end

---@class MonitorTask a program that gets the events of a monitor as those of a screen
---@field name string
---@field monitor table
---@field thread thread
---@field wanted string|nil
---@field releases table<number, table> by timer: where a touch ends
local MonitorTask = {}
MonitorTask.__index = MonitorTask

--- Gives an event to the program if it waits for it.
---@return boolean given
function MonitorTask:give(event, ...)
    if coroutine.status(self.thread) == "dead" then return false end
    if self.wanted ~= nil and self.wanted ~= event and event ~= "terminate" then return false end
    local previous = term.redirect(self.terminal)
    local ok, result = coroutine.resume(self.thread, event, ...)
    self.terminal = term.redirect(previous)
    if not ok then error(result, 0) end
    self.wanted = result
    return true
end

-- What follows an event of the monitor, by the event's name.
local follow_ups = {
    monitor_resize = function(task, name)
        if name == task.name then task:give("term_resize") end
    end,
    monitor_touch = function(task, name, x, y)
        if name ~= task.name then return end
        if task:give("mouse_click", 1, x, y) then task.releases[os.startTimer(TOUCH_SECONDS)] = { x, y } end
    end,
    timer = function(task, id)
        local place = task.releases[id]
        task.releases[id] = nil
        if place then task:give("mouse_up", 1, place[1], place[2]) end
    end,
}

function MonitorTask:run()
    self:give()
    while coroutine.status(self.thread) ~= "dead" do
        local event = table.pack(os.pullEventRaw())
        self:give(table.unpack(event, 1, event.n))
        local follow_up = follow_ups[event[1]]
        if follow_up then follow_up(self, table.unpack(event, 2, event.n)) end
    end
end

local function run_on(name, command, ...)
    if not is_there(name) then return end
    if not shell.resolveProgram(command) then return print("No such program: " .. command) end
    print("Running " .. command .. " on monitor " .. name)

    local words = table.pack(command, ...)
    setmetatable({
        name = name,
        terminal = peripheral.wrap(name),
        releases = {},
        thread = coroutine.create(function() return shell.execute(table.unpack(words, 1, words.n)) end),
    }, MonitorTask):run()
end

local words = program.words
local scales = words[1] == "scale"
if #words < (scales and 3 or 2) then
    usage()
elseif scales then
    set_scale(words[2], words[3])
else
    run_on(table.unpack(words))
end
