-- The runs of chunks that are under way: each a coroutine of its own that gets every event it waits for.

local new_run = require("/apis/mcpcomputer/run").new

local now = os.epoch

-- Chunks at once. Each may hold a screenful of state in memory; the bridge lets four times as many wait.
local MOST_RUNS = 16

-- After this long without yielding the program yields between two chunks, so that their times do not add up to what
-- the game stops a computer for.
local SLICE_MS = 100

---@class Scheduler
---@field private runs Run[]
---@field private events Events
---@field private on_end fun(run: Run)
local Scheduler = {}
Scheduler.__index = Scheduler

---@param events Events
---@param on_end fun(run: Run) called once for each run, when its answer is there
---@return Scheduler
local function new(events, on_end)
    return setmetatable({ runs = {}, events = events, on_end = on_end }, Scheduler)
end

---Says whether any chunk is running.
---@return boolean
function Scheduler:is_busy()
    return #self.runs > 0
end

---Takes a run whose answer is there off the list, and reports it.
function Scheduler:settle(run)
    if not run.answer then
        return
    end
    for index, other in ipairs(self.runs) do
        if other == run then
            table.remove(self.runs, index)
            self.on_end(run)
            return
        end
    end
end

---Starts a chunk, and lets it run up to its first yield.
---@param options RunOptions
---@return string|nil problem why it was not started
function Scheduler:start(options)
    if #self.runs >= MOST_RUNS then
        return ("%d chunks are running already; try again when one has ended"):format(MOST_RUNS)
    end
    local run = new_run(options)
    self.runs[#self.runs + 1] = run
    run:resume()
    self:settle(run)
    return nil
end

---Says whether a request is being run.
---@param id string
---@return boolean
function Scheduler:has(id)
    for _, run in ipairs(self.runs) do
        if run.id == id then
            return true
        end
    end
    return false
end

---Calls a function for each run; runs may end and start meanwhile.
function Scheduler:each(visit)
    local runs = {}
    for index, run in ipairs(self.runs) do
        runs[index] = run
    end
    for _, run in ipairs(runs) do
        if not run.answer then
            visit(run)
            self:settle(run)
        end
    end
end

---Hands an event to every chunk that waits for it.
---@param event table as `table.pack` makes it
function Scheduler:distribute(event)
    if #self.runs == 0 then
        return
    end
    self:each(function(run)
        if now("utc") - self.events.clock.slice_start >= SLICE_MS then
            self.events:turn()
        end
        if not run.answer then
            run:deliver(event)
        end
    end)
end

---Stops the chunk of a request.
---@param id string
---@param reason string
function Scheduler:cancel(id, reason)
    self:each(function(run)
        if run.id == id then
            run:cancel(reason)
        end
    end)
end

---Hands a tool the answer to what it asked.
---@param frame table the `answer` frame
function Scheduler:take_answer(frame)
    self:each(function(run)
        if run.id == frame.id and run.tool then
            run.tool:take_answer(frame)
        end
    end)
end

---Stops every chunk without an answer: nobody is there to hear it. Jobs go on.
function Scheduler:drop_all()
    local jobs = {}
    for _, run in ipairs(self.runs) do
        jobs[#jobs + 1] = run.job and run or nil
    end
    self.runs = jobs
end

---Stops what is past its deadline, gives out output frames, and wakes what pauses.
---@param send fun(frame: string)
---@param keep fun(run: Run) keeps the output of a job
function Scheduler:tick(send, keep)
    self:each(function(run)
        local reason = run:overdue()
        if reason then
            return run:stop(reason)
        end
        if run.job and run.capture:has_news() then
            keep(run)
        end
        local frame = run:next_output()
        if frame then
            send(frame)
        end
        run:wake()
    end)
end

return { new = new }
