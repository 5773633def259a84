-- One run of a chunk of Lua, from its source to the frame that answers it. When it is resumed, and with which events,
-- is decided in scheduler.lua.

local capture = require("/apis/mcpcomputer/capture")
local describe = require("/apis/mcpcomputer/describe")
local environment_of = require("/apis/mcpcomputer/environment")
local events = require("/apis/mcpcomputer/events")
local frames = require("/apis/mcpcomputer/frames")
local garbage = require("/apis/mcpcomputer/garbage")
local guard = require("/apis/mcpcomputer/guard")
local wait = require("/apis/mcpcomputer/wait")

local coroutine_create, coroutine_resume, coroutine_status =
    coroutine.create, coroutine.resume, coroutine.status
local coroutine_yield = coroutine.yield
local now, pcall = os.epoch, pcall
local queue_event = os.queueEvent

-- A chunk that waits can be cancelled. Its cancel is on its way by its deadline, however slow the machines are, or the
-- link is lost and the chunk with it.
local CANCEL_PATIENCE_MS = 9000

-- What a tool has to end by itself that asks whether it was cancelled.
local CANCEL_GRACE_MS = 2000

-- Output goes out while the chunk runs only from this time on: most chunks have ended by then.
local FIRST_OUTPUT_MS = 300

-- And then in batches, this long apart.
local OUTPUT_EVERY_MS = 200

-- Work on a large answer yields this often, so that a ping between is answered soon.
local PAUSE_MS = 20

-- What the answer of a run may hold that was stopped: it is written at once, while everything else waits, and the
-- bridge has mostly stopped waiting for it.
local QUICK_BYTES = 256 * 1024

-- The event that a run waits for which only lets the others have their turn.
local TURN_EVENT = events.TURN_EVENT

local CHUNK_NAME = "=mcp-exec"

---@class Run
---@field id string the request
---@field answer string|nil the frame that answers it, once the run has ended
---@field power table|nil the call of `os.shutdown` or `os.reboot` to make after the answer
---@field private filter string|nil the event that the chunk waits for
local Run = {}
Run.__index = Run

---Gives what was printed as the frames take it.
function Run:captured()
    return { text = self.capture:text(), bytes = self.capture.bytes }
end

---Answers at once, without a pause.
function Run:fail(problem)
    self.answer = frames.failure(self.id, problem, self:captured(), math.min(self.room, QUICK_BYTES))
end

---Ends the run with the error that says why.
---@param reason string
function Run:stop(reason)
    if not self.answer then
        self:fail(reason)
    end
end

---Ends the run because nobody waits for it any more. A tool that asks whether it was cancelled has a moment to see it.
---@param reason string
function Run:cancel(reason)
    if not self.asks_whether_cancelled then
        return self:stop(reason)
    end
    self.cancelled = true
    self.guard:hurry(now("utc") + CANCEL_GRACE_MS, reason)
end

---Says whether the time of a chunk that waits is over.
---@return string|nil reason
function Run:overdue()
    local patient = self.cancellable and not self.cancelled
    return self.guard:reason(patient and CANCEL_PATIENCE_MS or nil)
end

---Compiles, runs and answers; the body of the run's coroutine.
function Run:body(options, environment)
    local chunk, problem
    if options.tool then
        chunk, problem = options.tool:load(self, environment)
    else
        chunk, problem = environment:load(options.code, CHUNK_NAME)
    end
    if not chunk then
        return self:fail(problem)
    end
    local results = table.pack(pcall(chunk))
    self.guard.repair_strings()
    if self.guard.stop_reason then
        return self:fail(self.guard.stop_reason)
    end
    local last_pause = now("utc")
    local function pause()
        -- Much of this work is done by a few calls that make large strings: the guard's hook comes too seldom.
        garbage.check()
        if now("utc") - last_pause >= PAUSE_MS then
            queue_event(TURN_EVENT)
            coroutine_yield(TURN_EVENT)
            last_pause = now("utc")
        end
    end
    if options.tool then
        self.answer = options.tool:answer(self, results)
        return
    end
    if not results[1] then
        local problem_text = describe.describe_error(results[2])
        self.answer = frames.failure(self.id, problem_text, self:captured(), self.room, pause)
        return
    end
    local returns = table.pack(table.unpack(results, 2, results.n))
    self.answer = frames.success(self.id, returns, self:captured(), self.room, pause)
end

---Resumes the chunk until it yields or ends.
function Run:resume(...)
    self.slices = self.slices + 1
    self.guard:enter()
    local ok, filter = coroutine_resume(self.thread, ...)
    self.guard:leave()
    self.filter = filter
    if self.tool then
        self.tool:yielded()
    end
    if self.answer then
        return
    end
    if self.guard.power then
        self.power = self.guard.power
        self.answer = self.tool and self.tool:answer(self, { true, n = 1 })
            or frames.success(self.id, { n = 0 }, self:captured(), math.min(self.room, QUICK_BYTES))
    elseif not ok then
        -- The body catches what the chunk throws; what it cannot catch is the guard, or a game that is out of patience.
        self:fail(self.guard.stop_reason or describe.describe_error(filter))
    elseif coroutine_status(self.thread) == "dead" then
        self:fail("the chunk ended without an answer")
    end
end

---Hands an event to the chunk, if it waits for that.
---@param event table the event, as `table.pack` makes it
---@return boolean taken
function Run:deliver(event)
    local name = event[1]
    if name == guard.TERMINATE_EVENT then
        if event[2] ~= self.id then
            return false
        end
        self:resume("terminate")
        return true
    end
    if self.filter ~= name and (self.filter ~= nil or name == TURN_EVENT) and name ~= "terminate" then
        return false
    end
    self:resume(table.unpack(event, 1, event.n))
    return true
end

---Lets a run go on that pauses, in case the event that it waits for was lost: the game drops events when 256 wait.
function Run:wake()
    if self.filter == TURN_EVENT then
        self:resume(TURN_EVENT)
    end
end

---Gives the next output frame, when it is time for one.
---@return string|nil
function Run:next_output()
    if not self.wants_output or not self.capture:has_news() or not self.until_output:is_over() then
        return nil
    end
    self.until_output = wait.new(OUTPUT_EVERY_MS)
    local data = self.capture:take()
    return data and frames.output(self.id, data)
end

---@class RunOptions
---@field id string
---@field job string|nil the job that it is, which goes on without a link
---@field code string|nil
---@field tool ToolCall|nil what to run instead of code
---@field timeout_ms number|nil
---@field cancellable boolean|nil whether the other side sends `cancel` when the time is over
---@field room number|nil bytes that the answer may have
---@field wants_output boolean whether output frames were agreed
---@field program_env table
---@field clock table

---Makes a run; nothing of the chunk has run yet.
---@param options RunOptions
---@return Run
local function new(options)
    local run = setmetatable({
        id = options.id,
        job = options.job,
        tool = options.tool,
        room = options.room or frames.RESPONSE_BYTES,
        capture = capture.new(),
        slices = 0,
        wants_output = options.wants_output,
        cancellable = options.cancellable,
        until_output = wait.new(FIRST_OUTPUT_MS),
    }, Run)

    run.guard = guard.new(options.id, options.clock, options.timeout_ms)

    local environment = environment_of.new(options.program_env, function(piece)
        run.capture:write(piece)
    end, guard.REPLACED)

    local thread = coroutine_create(function()
        return run:body(options, environment)
    end)
    run.thread = thread
    run.guard:watch(thread)
    return run
end

return { new = new }
