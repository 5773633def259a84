-- What holds while a chunk runs, and only then: its deadline, its terminal, and its own `os.shutdown`, `os.reboot` and
-- `os.queueEvent`. Programs of the ROM that the chunk calls use the real APIs, so the real tables are changed each time
-- the chunk is resumed, and changed back when it yields.

local garbage = require("/apis/mcpcomputer/garbage")

local coroutine_create, coroutine_wrap = coroutine.create, coroutine.wrap
local coroutine_resume, coroutine_running, coroutine_yield =
    coroutine.resume, coroutine.running, coroutine.yield
local sethook = debug and debug.sethook
local check_garbage = garbage.check
local now = os.epoch
local real_os, real_coroutine = os, coroutine

-- The methods of strings are the same for everyone: a chunk that breaks them would break this program.
local string_metatable = getmetatable("")
local string_methods = {}
for name, method in next, string do
    string_methods[name] = method
end
local real_string = string

-- Lua instructions between two looks at the clock: a tenth of a millisecond on CraftOS-PC.
local HOOK_INSTRUCTIONS = 10000

-- How long the whole program may run without yielding. The game stops it after 7 s, and 1.5 s later turns the computer
-- off; CraftOS-PC interrupts after 17 s. A chunk is stopped before either, so that it cannot swallow the error.
local SLICE_MS = tostring(_HOST):find("CraftOS%-PC") and 16000 or 6000

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
---@field private deadline number|nil
---@field private deadline_reason string|nil
local Guard = {}
Guard.__index = Guard

---Names why the chunk has to end now, if it has to.
---@param patience_ms number|nil how much later than its deadline
function Guard:reason(patience_ms)
    local time = now("utc")
    if self.stop_reason == nil then
        if self.deadline and time >= self.deadline + (patience_ms or 0) then
            self.stop_reason = self.deadline_reason
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

---The functions that stand in for the real ones while the chunk runs.
local function replacements(guard, queue_event)
    local function power_function(name)
        return function(...)
            guard.power = { name = name, arguments = table.pack(...) }
            -- The computer is off once the program has answered; until then the chunk must not go on.
            while true do
                coroutine_yield()
            end
        end
    end

    return {
        [real_os] = {
            shutdown = power_function("shutdown"),
            reboot = power_function("reboot"),
            queueEvent = queue_event,
        },
        [real_coroutine] = {
            create = function(body)
                local thread = made(coroutine_create, body)
                guard:watch(thread)
                return thread
            end,
            wrap = function(body)
                if type(body) ~= "function" then
                    return coroutine_wrap(body)
                end
                return made(coroutine_wrap, function(...)
                    guard:watch((coroutine_running()))
                    return body(...)
                end)
            end,
        },
    }
end

---Puts the chunk's terminal and functions in place.
function Guard:enter()
    self.outer_terminal = term.current()
    if self.terminal ~= self.outer_terminal then
        term.redirect(self.terminal)
    end
    for api, functions in next, self.functions do
        local outer = {}
        for name, replacement in next, functions do
            outer[name] = api[name]
            api[name] = replacement
        end
        self.outer[api] = outer
    end
end

---Gives strings back their methods.
function Guard.repair_strings()
    if type(string_metatable) == "table" then
        string_metatable.__index = real_string
    end
    for name, method in next, string_methods do
        rawset(real_string, name, method)
    end
end

---Puts back what was there. A function that the chunk has replaced for good stays as the chunk left it.
function Guard:leave()
    self.terminal = term.current()
    if self.terminal ~= self.outer_terminal then
        term.redirect(self.outer_terminal)
    end
    for api, functions in next, self.functions do
        for name, replacement in next, functions do
            if api[name] == replacement then
                api[name] = self.outer[api][name]
            end
        end
    end
    self.repair_strings()
end

---Gives the replacements for the chunk's own copies of the APIs, by the name of the API.
---@return table<string, table>
function Guard:replaced()
    return {
        os = self.functions[real_os],
        coroutine = self.functions[real_coroutine],
        debug = WITHOUT_HOOK,
    }
end

---Makes the guard of one chunk.
---@param clock table `slice_start` is when the program last yielded
---@param queue_event function stands in for `os.queueEvent`
---@param deadline number|nil when the chunk has to end, in milliseconds of `os.epoch("utc")`
---@param deadline_reason string|nil the error for that
---@return Guard
local function new(clock, queue_event, deadline, deadline_reason)
    local guard = setmetatable({
        clock = clock,
        deadline = deadline,
        deadline_reason = deadline_reason,
        terminal = term.current(),
        outer = {},
    }, Guard)
    guard.functions = replacements(guard, queue_event)
    return guard
end

return { new = new }
