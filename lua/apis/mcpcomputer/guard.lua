-- What holds while a chunk runs, and only then: its deadline, its terminal, and its own `os.shutdown`, `os.reboot` and
-- `os.queueEvent`. Programs of the ROM that the chunk calls use the real APIs, so the real tables are changed each time
-- the chunk is resumed, and changed back when it yields.

local garbage = require("/apis/mcpcomputer/garbage")

local coroutine_create, coroutine_wrap = coroutine.create, coroutine.wrap
local coroutine_resume, coroutine_running, coroutine_yield =
    coroutine.resume, coroutine.running, coroutine.yield
local sethook = debug and debug.sethook
local check_garbage, term_current = garbage.check, term.current
local now, queue_event = os.epoch, os.queueEvent
local real_os, real_coroutine = os, coroutine

-- The methods of strings are the same for everyone: a chunk that breaks them would break this program.
local string_metatable = getmetatable("")
local string_methods, method_count = {}, 0
for name, method in next, string do
    string_methods[name] = method
    method_count = method_count + 1
end
local real_string = string

---Says whether all methods of strings are what they were.
local function has_its_methods()
    local count = 0
    for name, method in next, real_string do
        if string_methods[name] ~= method then
            return false
        end
        count = count + 1
    end
    return count == method_count
end

-- Lua instructions between two looks at the clock: a tenth of a millisecond on CraftOS-PC.
local HOOK_INSTRUCTIONS = 10000

-- How long the whole program may run without yielding. The game stops it after 7 s, and 1.5 s later turns the computer
-- off; CraftOS-PC interrupts after 17 s. A chunk is stopped before either, so that it cannot swallow the error.
local SLICE_MS = tostring(_HOST):find("CraftOS%-PC") and 16000 or 6000

-- Events that a chunk may queue before it yields. The game drops what is more than 256; CraftOS-PC keeps everything,
-- and a chunk that queues in a loop would bury the link's own events.
local QUEUED_EVENTS = 1000

-- The event that carries a `terminate` which a chunk queued: it is for that chunk, not for this program.
local TERMINATE_EVENT = "mcp_computer_terminate"

-- Why a chunk is stopped that nobody cancelled.
local OVERDUE = "deadline: still running %d ms after its timeout of %.0f ms; stopped by the computer"

-- What the deadline leaves to the bridge, which reports its timeout first and cancels; only a chunk that cannot be
-- cancelled sees this deadline. A second is more than a frame takes on any link that is of use.
local DEADLINE_GRACE_MS = 1000

-- Makes coroutines on behalf of chunks. CraftOS-PC copies the hook of a coroutine to those that it makes, and reads
-- freed memory when its table of hooks has to grow for that: a crash some time later. This one never has a hook.
local factory = coroutine_create(function(make, body)
    while true do
        make, body = coroutine_yield(make(body))
    end
end)

local function made(make, body)
    if type(body) ~= "function" then
        -- Throws as it should, and makes nothing.
        return make(body)
    end
    local _, thread = coroutine_resume(factory, make, body)
    return thread
end

-- Without its hook a chunk could not be stopped.
local WITHOUT_HOOK = sethook
    and {
        sethook = function()
            error("debug.sethook is not for chunks: mcp-computer stops them by it", 2)
        end,
    }

---@class Guard
---@field stop_reason string|nil why the chunk has to end
---@field power table|nil the call of `os.shutdown` or `os.reboot` that the chunk made
---@field private clock table holds `slice_start`, when the program last yielded
---@field private id string the request, or the job
---@field private queued number events since the chunk last yielded
---@field private deadline number|nil
---@field private deadline_reason string|nil where it is not that of the timeout
local Guard = {}
Guard.__index = Guard

---Names why the chunk has to end now, if it has to.
---@param patience_ms number|nil how much later than its deadline
function Guard:reason(patience_ms)
    local time = now("utc")
    if self.stop_reason == nil then
        if self.deadline and time >= self.deadline + (patience_ms or 0) then
            self.stop_reason = self.deadline_reason or OVERDUE:format(DEADLINE_GRACE_MS, self.timeout_ms)
        elseif time - self.clock.slice_start >= SLICE_MS then
            self.stop_reason = "Too long without yielding"
        end
    end
    return self.stop_reason
end

---Moves the deadline to an earlier time.
---@param deadline number
---@param reason string the error for it
function Guard:hurry(deadline, reason)
    if not self.deadline or deadline < self.deadline then
        self.deadline, self.deadline_reason = deadline, reason
    end
end

---Watches a coroutine of the chunk. Once the chunk has to end, the hook strikes at every instruction: no `pcall` in
---the chunk outlives it.
function Guard:watch(thread)
    if not sethook then
        return
    end
    local function strike()
        check_garbage()
        if self.power or self:reason() then
            sethook(thread, strike, "", 1)
            error(self.stop_reason or "the computer is going down", 0)
        end
    end
    sethook(thread, strike, "", HOOK_INSTRUCTIONS)
end

-- The guard of the chunk that runs. What stands in for the real functions asks it, and is the same for all chunks: to
-- make it for each would take longer than most chunks run.
local current

local function power_function(name)
    local real = real_os[name]
    return function(...)
        if not current then
            return real(...)
        end
        current.power = { name = name, arguments = table.pack(...) }
        -- The computer is off once the program has answered; until then the chunk must not go on.
        while true do
            coroutine_yield()
        end
    end
end

local function queue_for_chunk(name, ...)
    if not current then
        return queue_event(name, ...)
    end
    current.queued = current.queued + 1
    if current.queued > QUEUED_EVENTS then
        error(("more than %d events queued without yielding"):format(QUEUED_EVENTS), 2)
    end
    if name == "terminate" then
        return queue_event(TERMINATE_EVENT, current.id)
    end
    return queue_event(name, ...)
end

local function watch(thread)
    if current then
        current:watch(thread)
    end
end

---The functions that stand in for the real ones while a chunk runs.
local OF_OS = {
    shutdown = power_function("shutdown"),
    reboot = power_function("reboot"),
    queueEvent = queue_for_chunk,
}
local OF_COROUTINE = {
    create = function(body)
        local thread = made(coroutine_create, body)
        watch(thread)
        return thread
    end,
    wrap = function(body)
        if type(body) ~= "function" then
            return coroutine_wrap(body)
        end
        return made(coroutine_wrap, function(...)
            watch((coroutine_running()))
            return body(...)
        end)
    end,
}

-- The same for the chunk's own copies of the APIs.
local REPLACED = { os = OF_OS, coroutine = OF_COROUTINE, debug = WITHOUT_HOOK }

-- What was in the real APIs before a chunk was resumed.
local outer_shutdown, outer_reboot, outer_queue, outer_create, outer_wrap

---Puts the chunk's terminal and functions in place.
function Guard:enter()
    self.queued = 0
    self.outer_terminal = term_current()
    if self.terminal ~= self.outer_terminal then
        term.redirect(self.terminal)
    end
    outer_shutdown, outer_reboot, outer_queue = real_os.shutdown, real_os.reboot, real_os.queueEvent
    outer_create, outer_wrap = real_coroutine.create, real_coroutine.wrap
    real_os.shutdown, real_os.reboot, real_os.queueEvent = OF_OS.shutdown, OF_OS.reboot, queue_for_chunk
    real_coroutine.create, real_coroutine.wrap = OF_COROUTINE.create, OF_COROUTINE.wrap
    current = self
end

---Gives strings back their methods.
function Guard.repair_strings()
    if type(string_metatable) == "table" then
        string_metatable.__index = real_string
    end
    if has_its_methods() then
        return
    end
    for name, method in next, string_methods do
        rawset(real_string, name, method)
    end
end

local function put_back(api, name, replacement, outer)
    if api[name] == replacement then
        api[name] = outer
    end
end

---Puts back what was there. A function that the chunk has replaced for good stays as the chunk left it.
function Guard:leave()
    current = nil
    self.terminal = term_current()
    if self.terminal ~= self.outer_terminal then
        term.redirect(self.outer_terminal)
    end
    put_back(real_os, "shutdown", OF_OS.shutdown, outer_shutdown)
    put_back(real_os, "reboot", OF_OS.reboot, outer_reboot)
    put_back(real_os, "queueEvent", queue_for_chunk, outer_queue)
    put_back(real_coroutine, "create", OF_COROUTINE.create, outer_create)
    put_back(real_coroutine, "wrap", OF_COROUTINE.wrap, outer_wrap)
    self.repair_strings()
end

---Makes the guard of one chunk.
---@param id string the request, or the job
---@param clock table `slice_start` is when the program last yielded
---@param timeout_ms number|nil
---@return Guard
local function new(id, clock, timeout_ms)
    return setmetatable({
        id = id,
        clock = clock,
        timeout_ms = timeout_ms,
        deadline = timeout_ms and now("utc") + timeout_ms + DEADLINE_GRACE_MS,
        terminal = term_current(),
        queued = 0,
    }, Guard)
end

return { new = new, REPLACED = REPLACED, TERMINATE_EVENT = TERMINATE_EVENT }
