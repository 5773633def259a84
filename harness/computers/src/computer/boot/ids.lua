-- Numbers timers and alarms for the program as if the harness had none of its own. Both share one series of numbers,
-- and the harness's timer takes one twenty times a second.
--
-- Not all timers are the program's: `receive` of a WebSocket has one inside the emulator and waits for the emulator's
-- number. Such a number is passed on as it is, and never given to a timer of the program while it may be waited for.

local boot = ...

local native = {}
for _, name in ipairs({ "startTimer", "cancelTimer", "setAlarm", "cancelAlarm", "queueEvent" }) do
    native[name] = os[name]
end

-- Stands before the number in an event that the program queued itself: it is one that the program knows.
local QUEUED = "harness: as the program sees it"

-- How near a duration is to the one that was named: sums of decimals differ from their result.
local CLOSE = 1e-9

-- So many numbers back a timer of the emulator's own may still be waited for: three minutes of the harness's timers.
local KEPT = 4096

local ids = {
    -- Whether the program runs. What the rest of the system starts, such as rednet, is not renumbered: it does not get
    -- its events from here.
    inside = false,
}

-- By the number that the program knows: the emulator's, what it is, and after how long it rings.
local running = {}
-- By the emulator's number: the one that the program knows.
local seen = {}
-- By the emulator's number: what cancels a timer or an alarm that is the harness's or the system's.
local others = {}
-- Numbers that the emulator took for itself.
local foreign = {}
-- The last number of the emulator's, the last that the program knows, and how many the harness took.
local last, last_known, ticks = nil, 0, 0

--- Takes note of a number that the emulator gave.
local function given(number)
    for skipped = math.max(last + 1, number - KEPT), number - 1 do
        foreign[skipped] = true
    end
    for old = last - KEPT, number - KEPT do
        foreign[old] = nil
    end
    last = math.max(last, number)
end

--- The number that the program gets for the emulator's.
local function renumber(number)
    local known = last_known + 1
    -- Some emulators take numbers whenever they wait, and so more of them because of the harness.
    if not boot.takes_numbers then
        known = math.max(known, number - ticks)
    end
    while foreign[known] do
        known = known + 1
    end
    last_known = known
    return known
end

--- Starts a timer that the program never hears of.
---@param seconds number
---@return number
function ids.start_tick(seconds)
    local number = native.startTimer(seconds)
    -- The first number of a boot is the one that the program would have got.
    last_known = last and last_known or number - 1
    last = last or number - 1
    given(number)
    ticks = ticks + 1
    others[number] = "cancelTimer"
    return number
end

--- Cancels all that runs, before the computer turns off: CraftOS-PC crashes where a timer rings while it ends.
function ids.cancel_all()
    for number, cancel in pairs(others) do
        native[cancel](number)
    end
    for number, known in pairs(seen) do
        native[running[known].kind == "timer" and "cancelTimer" or "cancelAlarm"](number)
    end
end

--- What the next boot has to know: an emulator may go on counting.
---@return string
function ids.save()
    return ("%d %d %d"):format(last, last_known, ticks)
end

--- Takes what the boot before this one has left. The first timer of this boot tells whether the emulator counts on.
---@param saved string|nil
function ids.load(saved)
    local before, known, taken = (saved or ""):match("^(%d+) (%d+) (%d+)$")
    if before and last > tonumber(before) then
        last_known, ticks = tonumber(known), ticks + tonumber(taken)
    end
end

--- Calls a function of the emulator; its errors are raised where the program called.
local function call(name, ...)
    local result = table.pack(pcall(native[name], ...))
    if not result[1] then
        error(result[2], 3)
    end
    return table.unpack(result, 2, result.n)
end

local function wrap(kind, start, cancel)
    os[start] = function(...)
        local number = call(start, ...)
        given(number)
        local known = renumber(number)
        if not ids.inside then
            others[number] = cancel
            return number
        end
        running[known] = { number = number, kind = kind, after = (...) }
        seen[number] = known
        return known
    end
    os[cancel] = function(...)
        local known = ...
        if not ids.inside or type(known) ~= "number" then
            -- Not as a tail call, which would hide who called from the error.
            call(cancel, ...)
            return
        end
        local one = running[known]
        -- A number that is not running must not meet one of the harness's.
        if one and one.kind == kind then
            running[known], seen[one.number] = nil, nil
            native[cancel](one.number)
        end
    end
end
wrap("timer", "startTimer", "cancelTimer")
wrap("alarm", "setAlarm", "cancelAlarm")

function os.queueEvent(name, ...)
    if name == "timer" or name == "alarm" then
        call("queueEvent", name, QUEUED, ...)
    elseif type(name) == "string" then
        native.queueEvent(name, ...)
    else
        call("queueEvent", name, ...)
    end
end

--- Takes note of every event before anybody else does.
---@param event table
function ids.watch(event)
    if event[1] == "timer" or event[1] == "alarm" then
        -- Which may be anything in an event that was queued by hand.
        if type(event[2]) == "number" then
            others[event[2]] = nil
        end
    end
end

--- An event as the program sees it.
---@param event table
---@return table
function ids.translate(event)
    if event[1] ~= "timer" and event[1] ~= "alarm" then
        return event
    end
    local number = event[2]
    if number == QUEUED then
        return table.pack(event[1], table.unpack(event, 3, event.n))
    end
    local known = seen[number]
    if known then
        running[known], seen[number] = nil, nil
        event[2] = known
    elseif type(number) == "number" then
        foreign[number] = nil
    end
    return event
end

--- Raises the newest running timer of a duration before its time; tells the durations that run where there is none.
---@param seconds number
---@return boolean, number[]
function ids.raise(seconds)
    local newest, durations = nil, {}
    for known, one in pairs(running) do
        if one.kind == "timer" then
            durations[#durations + 1] = one.after
            if math.abs(one.after - seconds) <= CLOSE and (not newest or known > newest) then
                newest = known
            end
        end
    end
    if not newest then
        table.sort(durations)
        return false, durations
    end
    local number = running[newest].number
    native.cancelTimer(number)
    running[newest], seen[number] = nil, nil
    native.queueEvent("timer", QUEUED, newest)
    return true, durations
end

return ids
