-- The program's events: a queue in front of the computer's own, so that the program can look at what has come without
-- handling it, and a timer that never stops ticking.

local coroutine_yield = coroutine.yield
local cancel_timer, queue_event, start_timer = os.cancelTimer, os.queueEvent, os.startTimer
local now = os.epoch

local TURN_EVENT = "mcp_computer_turn"

-- CraftOS-PC delivers an event five seconds late now and then, unless another one comes: this bounds it.
local TICK_S = 0.1

-- The game and the embedded emulator have no such defect, and ten events a second for every idle computer are not free.
local HOST = tostring(_HOST)
local IDLE_TICK_S = HOST:find("CraftOS%-PC") and not HOST:find("embedded%-craftos") and 0.1 or 0.5

-- A tick that is this late does not come any more: a chunk has cancelled the timer.
local LOST_TICK_MS = 2000

---@class Events
---@field clock table `slice_start` is when the program last yielded
---@field on_peek fun(event: table)|nil sees each event as soon as it comes, before it is handled
---@field private backlog table[]
---@field private turns number
local Events = {}
Events.__index = Events

---@return Events
local function new()
    return setmetatable({
        clock = { slice_start = now("utc") },
        backlog = {},
        first = 1,
        turns = 0,
        tick_timer = nil,
        ticked_at = now("utc"),
    }, Events)
end

---Takes the next event of the computer.
function Events:yield()
    local event = table.pack(coroutine_yield())
    self.clock.slice_start = now("utc")
    if self.on_peek then
        self.on_peek(event)
    end
    return event
end

---Looks at everything that has come by now; it is handled later.
function Events:turn()
    self.turns = self.turns + 1
    local turn = self.turns
    queue_event(TURN_EVENT, turn)
    while true do
        local event = self:yield()
        if event[1] == TURN_EVENT and event[2] == turn then
            return
        end
        self.backlog[#self.backlog + 1] = event
    end
end

---Says whether there are events that `turn` has seen and nobody has handled.
---@return boolean
function Events:has_backlog()
    return self.first <= #self.backlog
end

---Gives the next event, and waits for one if there is none.
---@return table event as `table.pack` makes it
function Events:next()
    local event = self.backlog[self.first]
    if not event then
        if self.first > 1 then
            self.backlog, self.first = {}, 1
        end
        return self:yield()
    end
    self.backlog[self.first] = false
    self.first = self.first + 1
    return event
end

---Keeps the timer ticking, and says whether an event is its tick.
---@param event table
---@param busy boolean whether chunks are running
---@return boolean
function Events:is_tick(event, busy)
    local ticked = event[1] == "timer" and event[2] == self.tick_timer
    if ticked or not self.tick_timer or now("utc") - self.ticked_at > LOST_TICK_MS then
        self.ticked_at = now("utc")
        if self.tick_timer and not ticked then
            cancel_timer(self.tick_timer)
        end
        self.tick_timer = start_timer(busy and TICK_S or IDLE_TICK_S)
    end
    return ticked
end

---Stops the timer.
function Events:close()
    if self.tick_timer then
        cancel_timer(self.tick_timer)
    end
end

return { new = new, TURN_EVENT = TURN_EVENT }
