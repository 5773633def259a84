-- One call of a tool: its handler, compiled anew for each call, and the `mcp` table that it is given. run.lua runs it.

local describe = require("/apis/mcpcomputer/describe")
local frames = require("/apis/mcpcomputer/frames")
local json = require("/apis/mcpcomputer/json")
local result_of = require("/apis/mcpcomputer/tool_result")

local expect = require("cc.expect").expect

local coroutine_yield = coroutine.yield
local queue_event = os.queueEvent

-- The event that a tool waits for which has asked something.
local ANSWER_EVENT = "mcp_computer_answer"

-- Notes that a tool may send before it yields; more are dropped. The bridge passes on as many at once.
local NOTES_PER_SLICE = 32

-- What a job may ask at once, as JSON: the bridge keeps as much of each job, and looks at as many.
local QUESTION_BYTES = 128 * 1024 - 2
local MOST_QUESTIONS = 32

-- What a client has to be able to do, by the method that asks for it.
local NEEDS = {
    ["sampling/createMessage"] = "sampling",
    ["elicitation/create"] = "elicitation",
    ["roots/list"] = "roots",
}

local LEVELS = {
    debug = true,
    info = true,
    notice = true,
    warning = true,
    error = true,
    critical = true,
    alert = true,
    emergency = true,
}

---@class ToolCall
---@field private id string
---@field private handler KeptHandler
---@field private method string
---@field private arguments table
---@field private client string[] what the client can be asked for
---@field private notify fun(frame: string)|nil nobody hears of it where there is none: the call is a job
---@field private answers table<number, table> what came for each question
---@field private asked number
---@field private held table|nil the frames of a question that is not sent yet: if another one follows, and if none does
---@field private questions table[] what a job asks and nobody has answered: `ask`, and its JSON
---@field private keys table<string, boolean> what a job has called its questions
local ToolCall = {}
ToolCall.__index = ToolCall

---@param options table `id`, `handler`, `method`, `arguments`, `client` and `notify`
---@return ToolCall
local function new(options)
    return setmetatable({
        id = options.id,
        handler = options.handler,
        method = options.method,
        arguments = options.arguments,
        client = options.client,
        notify = options.notify,
        answers = {},
        asked = 0,
        noted = 0,
        questions = {},
        keys = {},
    }, ToolCall)
end

---Says what is wrong with a note that is too large for one message, or one of too many at once.
---@param frame string
---@return string|nil problem
function ToolCall:refuse(run, frame)
    if #frame > frames.MESSAGE_BYTES then
        return ("it has %d bytes; %d is the most"):format(#frame, frames.MESSAGE_BYTES)
    end
    if self.slice ~= run.slices then
        self.slice, self.noted = run.slices, 0
    end
    self.noted = self.noted + 1
    if self.noted > NOTES_PER_SLICE then
        return "too many without yielding"
    end
    return nil
end

---Sends a note where somebody waits for the call, and where it may be sent.
function ToolCall:note(run, kind, data)
    if not self.notify then
        return
    end
    local frame = frames.note(kind, self.id, data)
    if not self:refuse(run, frame) then
        self.notify(frame)
    end
end

---Sends a question once it is known whether another one follows: `more` says so, and what is asked at the same time
---comes to the client together.
---@return string|nil problem
function ToolCall:hold_question(run, question)
    question.more = true
    local followed = frames.note("ask", self.id, question)
    question.more = false
    local last = frames.note("ask", self.id, question)
    local problem = self:refuse(run, last)
    if problem then
        return problem
    end
    if self.held then
        self.notify(self.held.followed)
    end
    self.held = { followed = followed, last = last }
    return nil
end

---The tool has yielded: no other question follows.
function ToolCall:yielded()
    if self.held then
        self.notify(self.held.last)
        self.held = nil
    end
end

---Says whether the client can be asked for something.
---@param what string
---@return boolean
function ToolCall:client_can(what)
    for _, able in ipairs(self.client) do
        if able == what then
            return true
        end
    end
    return false
end

---Gives what a job asks and nobody has answered, as a list in JSON.
---@return string|nil
function ToolCall:open_questions()
    if not self.questions[1] then
        return nil
    end
    local pieces = {}
    for index, question in ipairs(self.questions) do
        pieces[index] = question.json
    end
    return "[" .. table.concat(pieces, ",") .. "]"
end

---Keeps a question of a job until the bridge asks for it.
---@return string|nil problem
function ToolCall:keep_question(question)
    local needs = NEEDS[question.method]
    if not self:client_can(needs) then
        return ("this client has no `%s`"):format(needs)
    end
    -- A key names one question for as long as the job lasts.
    local key = question.key or "ask"
    while self.keys[key] do
        key = ("%s-%d"):format(key, question.ask)
    end
    question.key = key
    local encoded = json.encode(question)
    local bytes = #encoded
    for _, other in ipairs(self.questions) do
        bytes = bytes + #other.json + 1
    end
    if bytes > QUESTION_BYTES or #self.questions >= MOST_QUESTIONS then
        return "too much is being asked at once"
    end
    self.keys[key] = true
    self.questions[#self.questions + 1] = { ask = question.ask, json = encoded }
    return nil
end

---Asks the client something, and waits for its answer.
function ToolCall:ask(run, method, params, key)
    self.asked = self.asked + 1
    local number = self.asked
    local question = { ask = number, key = key, method = method, params = params }
    local problem
    if self.notify then
        problem = self:hold_question(run, question)
    else
        problem = self:keep_question(question)
    end
    if problem then
        error("cannot ask the client: " .. problem, 3)
    end
    while not self.answers[number] do
        coroutine_yield(ANSWER_EVENT)
    end
    local answer = self.answers[number]
    self.answers[number] = nil
    if not answer.ok then
        error("cannot ask the client: " .. tostring(answer.error), 3)
    end
    return answer.result
end

---Takes in the answer to a question, and wakes the tool.
---@param frame table
function ToolCall:take_answer(frame)
    if type(frame.ask) ~= "number" then
        return
    end
    self.answers[frame.ask] = frame
    for index, question in ipairs(self.questions) do
        if question.ask == frame.ask then
            table.remove(self.questions, index)
            break
        end
    end
    queue_event(ANSWER_EVENT)
end

---Makes the `mcp` table for the handler.
function ToolCall:api(run)
    local mcp = {}

    function mcp.progress(progress, total, message)
        expect(1, progress, "number")
        expect(2, total, "number", "nil")
        expect(3, message, "string", "nil")
        self:note(run, "progress", { progress = progress, total = total, message = message })
    end

    function mcp.log(level, ...)
        expect(1, level, "string")
        if not LEVELS[level] then
            error(
                ("`%s` is no level; there are debug, info, notice, warning, error and more"):format(level),
                2
            )
        end
        local values = table.pack(...)
        local data = values[1]
        if values.n ~= 1 or type(data) ~= "table" then
            for index = 1, values.n do
                values[index] = tostring(values[index])
            end
            data = table.concat(values, "\t", 1, values.n)
        end
        local ok, problem = pcall(self.note, self, run, "log", { level = level, data = data })
        if not ok then
            error(problem, 2)
        end
    end

    function mcp.cancelled()
        run.asks_whether_cancelled = true
        return run.cancelled == true
    end

    function mcp.can(what)
        expect(1, what, "string")
        return self:client_can(what)
    end

    function mcp.sample(params, key)
        expect(1, params, "table")
        expect(2, key, "string", "nil")
        -- Not a tail call: an error has the position of the handler.
        local answer = self:ask(run, "sampling/createMessage", params, key)
        return answer
    end

    function mcp.elicit(params, key)
        expect(1, params, "table")
        expect(2, key, "string", "nil")
        local answer = self:ask(run, "elicitation/create", params, key)
        return answer
    end

    function mcp.roots(key)
        expect(1, key, "string", "nil")
        local answer = self:ask(run, "roots/list", {}, key)
        return answer
    end

    return mcp
end

---Lets the handler require what came with it, before what the computer has.
---@param environment Environment
function ToolCall:add_require(environment)
    local modules, loaded = self.handler.modules, {}
    local LOADING = {}

    function environment.globals.require(name)
        expect(1, name, "string")
        local module = modules[name]
        if not module then
            return environment:require_of_computer()(name)
        elseif loaded[name] == LOADING then
            error(("loop or previous error loading module '%s'"):format(name), 2)
        elseif loaded[name] == nil then
            local chunk, problem = environment:load(module.code, "@" .. module.name)
            if not chunk then
                error(("error loading module '%s': %s"):format(name, problem), 2)
            end
            loaded[name] = LOADING
            local value = chunk(name)
            loaded[name] = value == nil and true or value
        end
        return loaded[name]
    end
end

---Compiles the handler.
---@param run Run
---@param environment Environment its globals
---@return function|nil call
---@return string|nil problem
function ToolCall:load(run, environment)
    local file = self.handler.file
    local chunk, problem = environment:load(file.code, "@" .. file.name)
    if not chunk then
        return nil, problem
    end
    local mcp = self:api(run)
    environment.globals.mcp = mcp
    self:add_require(environment)
    return function()
        local module = chunk()
        local call = type(module) == "table" and module[self.method]
        if type(call) ~= "function" then
            error(("`%s` returns no table with a function `%s`"):format(file.name, self.method), 0)
        end
        return call(self.arguments, mcp)
    end
end

---Writes the answer.
---@param run Run
---@param results table what `pcall` gave, as `table.pack` makes it
---@return string
function ToolCall:answer(run, results)
    local encoded
    if results[1] then
        encoded = result_of.returned(results[2], run.room)
    else
        encoded = result_of.failed(describe.describe_error(results[2]))
    end
    return frames.response_json(self.id, encoded)
end

return { new = new }
