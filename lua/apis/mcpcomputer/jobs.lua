-- Jobs: chunks, and calls of tools, that go on when nobody waits for them. What they print and how they end stays on
-- the disk until the bridge has it, so that a lost link loses nothing, and after a reboot it is known what was
-- interrupted. A job is written down before it runs, and one that is written down is never run again.

local frames = require("/apis/mcpcomputer/frames")
local json = require("/apis/mcpcomputer/json")
local text = require("/apis/mcpcomputer/text")

local FOLDER = "/.mcp-computer/jobs"

-- Jobs that are kept at once. A bridge fetches those that have ended; where none came back, they make room for others.
local MOST_JOBS = 64

-- What is kept of a job's output, and of its answer: the disk of a computer in the game has a megabyte.
local OUTPUT_BYTES = 128 * 1024
local ANSWER_BYTES = 128 * 1024

-- What one answer to `read-job` carries of the output.
local READ_BYTES = 20000

-- A job's id names files.
local ID = "^[%w%-]+$"
local MOST_ID_BYTES = 64

-- The states that nothing follows.
local ENDS = { ended = true, interrupted = true }

-- The methods that are answered here.
local METHODS = {
    ["start-job"] = true,
    ["read-job"] = true,
    ["answer-job"] = true,
    ["cancel-job"] = true,
    ["forget-job"] = true,
}

---@class Jobs
---@field private start_run fun(options: table): string|nil starts a run, or says why not
---@field private cancel_run fun(id: string, reason: string)
---@field private call_of fun(id: string, params: any): table|nil, string|nil makes a call of a tool, or says why not
---@field private calls table<string, ToolCall> those that run
local Jobs = {}
Jobs.__index = Jobs

local function path(id, kind)
    return fs.combine(FOLDER, id .. "." .. kind)
end

local function read(id, kind)
    local file = fs.open(path(id, kind), "rb")
    if not file then
        return nil
    end
    local bytes = file.readAll()
    file.close()
    return bytes or ""
end

---Writes a file; says whether it is there.
local function write(id, kind, bytes, mode)
    local ok, file = pcall(fs.open, path(id, kind), mode or "wb")
    if not ok or not file then
        return false
    end
    local written = pcall(file.write, bytes)
    -- Also after a write that failed: a computer has only so many open files.
    return pcall(file.close) and written
end

---Writes an answer under another name first: one that is there is whole.
local function keep_answer(id, bytes)
    return write(id, "part", bytes) and pcall(fs.move, path(id, "part"), path(id, "answer"))
end

---Gives the ids of all jobs that are kept, in order.
local function kept()
    local ids = {}
    if fs.isDir(FOLDER) then
        for _, name in ipairs(fs.list(FOLDER)) do
            ids[#ids + 1] = name:match("^(.+)%.state$")
        end
    end
    return ids
end

---Makes the jobs of this computer. Those that were running when it stopped are interrupted.
---@param start_run fun(options: table): string|nil
---@param cancel_run fun(id: string, reason: string)
---@param call_of fun(id: string, params: any): table|nil, string|nil
---@return Jobs
local function new(start_run, cancel_run, call_of)
    local jobs = setmetatable({
        start_run = start_run,
        cancel_run = cancel_run,
        call_of = call_of,
        calls = {},
    }, Jobs)
    for _, id in ipairs(kept()) do
        -- Whatever else it says, the computer stopped while it was being written.
        if not ENDS[read(id, "state")] then
            write(id, "state", fs.exists(path(id, "answer")) and "ended" or "interrupted")
        end
    end
    return jobs
end

---Makes room for another job, where need be that of one which has ended.
---@return boolean
function Jobs:make_room()
    local ids = kept()
    if #ids < MOST_JOBS then
        return true
    end
    for _, id in ipairs(ids) do
        if read(id, "state") ~= "running" then
            self:forget(id)
            return true
        end
    end
    return false
end

---Starts a job, unless it was started before.
---@param id string
---@param params table
---@return string|nil problem why it was not started
function Jobs:start(id, params)
    if params.tool == nil and type(params.code) ~= "string" then
        return "malformed request: `params.code` is not a string"
    elseif read(id, "state") then
        -- It has run, or runs. Whoever asks again has not heard so.
        return nil
    end
    local call, unknown
    if params.tool ~= nil then
        call, unknown = self.call_of("job-" .. id, params.tool)
    end
    if unknown then
        return unknown
    elseif not self:make_room() then
        return ("%d jobs are running already"):format(MOST_JOBS)
    elseif not write(id, "state", "running") then
        return "the job cannot be kept on the disk of this computer"
    end
    self.calls[id] = call
    local problem = self.start_run({
        id = "job-" .. id,
        job = id,
        code = params.code,
        tool = call,
        timeout_ms = type(params.timeoutMs) == "number" and params.timeoutMs or nil,
        room = ANSWER_BYTES,
        wants_output = false,
    })
    if problem then
        self.calls[id] = nil
        self:forget(id)
    end
    return problem
end

---Puts what a job has printed since onto the disk.
---@param run Run
function Jobs:keep_output(run)
    local piece = run.capture:take()
    while piece do
        local size = fs.exists(path(run.job, "output")) and fs.getSize(path(run.job, "output")) or 0
        if size + #piece <= OUTPUT_BYTES then
            write(run.job, "output", piece, "ab")
        end
        piece = run.capture:take()
    end
end

---Keeps how a job has ended.
---@param run Run
function Jobs:ended(run)
    self.calls[run.job] = nil
    self:keep_output(run)
    if not keep_answer(run.job, run.answer) then
        keep_answer(run.job, frames.failure(run.id, "the disk of the computer was too full for the result"))
    end
    write(run.job, "state", "ended")
end

---Says what became of a job, with its output from a byte on.
---@return string|nil result as JSON
---@return string|nil problem
function Jobs:read(id, from)
    local state = read(id, "state")
    if not state then
        return nil, "unknown job"
    end
    local output = read(id, "output") or ""
    from = math.min(type(from) == "number" and math.max(0, math.floor(from)) or 0, #output)
    local piece = output:sub(from + 1, from + READ_BYTES + 3)
    piece = piece:sub(1, text.whole_characters(piece, READ_BYTES))
    local is_all = from + #piece >= #output
    local answer = state == "ended" and is_all and read(id, "answer")
    local asks = self.calls[id] and self.calls[id]:open_questions()
    return table.concat({
        '{"state":',
        json.encode_string(state),
        (',"from":%d,"next":%d,"more":%s,"output":'):format(from, from + #piece, tostring(not is_all)),
        json.encode_string(piece),
        answer and ',"answer":' .. json.encode_string(answer) or "",
        asks and ',"asks":' .. asks or "",
        "}",
    })
end

---Hands a job the answer to what it asked.
function Jobs:take_answer(id, params)
    if self.calls[id] then
        local ok, result = params.error == nil, params.result
        self.calls[id]:take_answer({ ask = params.ask, ok = ok, result = result, error = params.error })
    end
end

---Removes all of a job.
function Jobs:forget(id)
    for _, kind in ipairs({ "output", "part", "answer", "state" }) do
        pcall(fs.delete, path(id, kind))
    end
end

---Answers a request about jobs.
---@param frame table
---@return string answer
function Jobs:request(frame)
    local params = type(frame.params) == "table" and frame.params or {}
    local id = params.job
    if type(id) ~= "string" or #id > MOST_ID_BYTES or not id:find(ID) then
        return frames.failure(frame.id, "malformed request: `params.job` is no id of a job")
    end
    local result, problem = "{}", nil
    if frame.method == "start-job" then
        problem = self:start(id, params)
    elseif frame.method == "read-job" then
        result, problem = self:read(id, params.from)
    elseif frame.method == "answer-job" then
        self:take_answer(id, params)
    elseif frame.method == "cancel-job" then
        self.cancel_run("job-" .. id, "cancelled by the bridge")
    elseif read(id, "state") ~= "running" then
        self:forget(id)
    end
    if problem then
        return frames.failure(frame.id, problem)
    end
    return frames.response_json(frame.id, result)
end

---Says whether a request is about jobs.
---@param frame table
---@return boolean
local function is_request(frame)
    return METHODS[frame.method] == true
end

return { new = new, is_request = is_request, FOLDER = FOLDER }
