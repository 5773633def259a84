-- Runs tests one after the other: the hooks around them, and what is cleaned up behind each.

local part = ...
local spies = part("spies")
local stubs = part("stubs")
local devices = part("devices")
local drive = part("drive")
local computers = part("computers")
local peripherals = part("peripherals")

local xpcall, ipairs, setmetatable, insert = xpcall, ipairs, setmetatable, table.insert
local type, tostring = type, tostring
local create, resume, status, yield = coroutine.create, coroutine.resume, coroutine.status, coroutine.yield
local pack, unpack, concat = table.pack, table.unpack, table.concat
local now, queue_event = os.epoch, os.queueEvent
local native_terminal = term.current()
local redirect, clear, set_cursor = term.redirect, term.clear, term.setCursorPos
local set_text, set_background, blink = term.setTextColour, term.setBackgroundColour, term.setCursorBlink

local WHITE, BLACK = colours.white, colours.black

-- Queued between two tests.
local TURN_EVENT = "craftos_test_turn"

local Runner = {}
Runner.__index = Runner

---@param report table
---@param failures table
---@param environment table
local function new(report, failures, environment)
    return setmetatable(
        { report = report, failures = failures, environment = environment, entered = {} },
        Runner
    )
end

---Gives the groups around a test, the outermost first.
local function path_of(group)
    local path = {}
    while group do
        insert(path, 1, group)
        group = group.parent
    end
    return path
end

---Calls a function in a coroutine of its own, so that a traceback ends where the test begins. What it yields, the
---computer gets.
---@return table|nil problem
function Runner:call(body)
    local thread = create(function()
        local ok, problem = xpcall(body, self.failures.describe)
        if not ok and type(problem) ~= "table" then
            -- There was no memory to describe it.
            problem = { message = tostring(problem) }
        end
        return not ok and problem or nil
    end)
    local event = { n = 0 }
    while true do
        local results = pack(resume(thread, unpack(event, 1, event.n)))
        if status(thread) == "dead" then
            return results[2]
        end
        -- All events come here, and the test gets those that it waits for: some were only told of by number.
        local filter = results[2]
        repeat
            event = stubs.arrive(pack(yield()))
        until event and (filter == nil or event[1] == filter or event[1] == "terminate")
    end
end

---Calls functions in order; gives the first problem, or nothing.
function Runner:call_all(bodies)
    for _, body in ipairs(bodies) do
        local problem = self:call(body)
        if problem then
            return problem
        end
    end
end

---Leaves groups that the next test is not in, and enters those that it is in.
function Runner:enter(path)
    local shared = 0
    while self.entered[shared + 1] and self.entered[shared + 1].group == path[shared + 1] do
        shared = shared + 1
    end
    self:leave(shared)
    for depth = shared + 1, #path do
        local problem = self:call_all(path[depth].hooks.setup)
        self.entered[depth] = { group = path[depth], problem = problem }
    end
    for _, entered in ipairs(self.entered) do
        if entered.problem then
            return entered.problem
        end
    end
end

---Leaves groups, the innermost first. What a teardown throws belongs to the last test before it.
function Runner:leave(depth)
    for index = #self.entered, depth + 1, -1 do
        local problem = self:call_all(self.entered[index].group.hooks.teardown)
        self.entered[index] = nil
        if problem and self.last then
            self.report.write({ event = "teardown", number = self.last, error = problem })
        end
    end
end

---Gives each test a clean screen.
local function reset_screen()
    redirect(native_terminal)
    set_text(WHITE)
    set_background(BLACK)
    clear()
    set_cursor(1, 1)
    blink(false)
end

---Gives what the screen shows, where the terminal can say it.
local function shown()
    if not native_terminal.getLine then
        return nil
    end
    local lines, last = {}, 0
    local _, height = native_terminal.getSize()
    for y = 1, height do
        lines[y] = (native_terminal.getLine(y):gsub("%s+$", ""))
        if lines[y] ~= "" then
            last = y
        end
    end
    return last > 0 and concat(lines, "\n", 1, last) or nil
end

---Runs the body of a test between its hooks.
function Runner:attempt(test)
    if test.problem then
        return test.problem
    end
    local path = path_of(test.group)
    local problem = self:enter(path)
    if problem then
        return problem
    end
    for _, group in ipairs(path) do
        problem = problem or self:call_all(group.hooks.before_each)
    end
    local finals = {}
    if not problem then
        self.environment.set_finally(function(body)
            finals[#finals + 1] = body
        end)
        problem = self:call_all({ test.body })
    end
    problem = self:call_all(finals) or problem
    for index = #path, 1, -1 do
        local after = self:call_all(path[index].hooks.after_each)
        problem = problem or after
    end
    return problem
end

---Lets the computer have a turn, so that the times of the tests do not add up to what it stops a program for, and
---drops what the test before has left in its queue.
local function turn()
    queue_event(TURN_EVENT)
    repeat
        local name = yield()
    until name == TURN_EVENT
end

---Runs one test and reports how it ended.
function Runner:run(test)
    if test.is_pending then
        return self.report.write({ event = "end", number = test.number, outcome = "pending" })
    end
    turn()
    reset_screen()
    self.report.write({ event = "begin", number = test.number })
    local started = now("utc")
    local problem = self:attempt(test)
    -- Not before: the groups that this test is not in are left by then, and what they throw is not its own.
    self.last = test.number
    spies.restore()
    -- It waits for the host.
    problem = self:call(computers.reset) or problem
    devices.reset()
    peripherals.reset()
    local stub_problem = stubs.reset()
    if stub_problem and not problem then
        problem = { message = stub_problem }
    end
    local outcome, screen = "passed", drive.last_screen()
    if problem then
        outcome = problem.is_pending and "pending" or "failed"
        problem.screen = screen or shown()
    end
    self.report.write({
        event = "end",
        number = test.number,
        outcome = outcome,
        error = problem,
        ms = now("utc") - started,
    })
end

---Leaves the last groups.
function Runner:finish()
    self:leave(0)
end

return { new = new }
