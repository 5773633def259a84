-- The program's life: connects, says hello, answers requests, and connects again, until somebody ends it.

local events_of = require("/apis/mcpcomputer/events")
local frames = require("/apis/mcpcomputer/frames")
local garbage = require("/apis/mcpcomputer/garbage")
local inbox = require("/apis/mcpcomputer/inbox")
local jobs = require("/apis/mcpcomputer/jobs")
local json = require("/apis/mcpcomputer/json")
local links = require("/apis/mcpcomputer/link")
local problems = require("/apis/mcpcomputer/problems")
local requests = require("/apis/mcpcomputer/requests")
local retry = require("/apis/mcpcomputer/retry")
local scheduler = require("/apis/mcpcomputer/scheduler")
local tools = require("/apis/mcpcomputer/tools")
local wait = require("/apis/mcpcomputer/wait")

local real_shutdown, real_reboot = os.shutdown, os.reboot

-- A bridge answers a hello at once, if its machine does not stand still; after this long something else is listening
-- there.
local HELLO_MS = 15000

-- CraftOS-PC waits 60 s for a server that accepts and never answers; a bridge that is restarted should not.
local CONNECT_MS = 15000

-- A chunk that changed the label and goes on keeps the bridge from hearing of it no longer than this.
local RENAMED_MS = 1000

-- After a hello that was refused the bridge closes the link itself; that is safer than closing it here.
local REFUSED_CLOSE_MS = 1000

-- A bridge that is told of the end closes the link at once; after this long it does not any more.
local BYE_MS = 2000

-- A bridge's ids have some ten bytes. A longer one would not leave room in the frames that repeat it.
local MOST_ID_BYTES = 256

---@class ClientOptions
---@field url string
---@field token string|nil
---@field once boolean whether to end instead of connecting again
---@field version string
---@field program_env table the globals of the program
---@field hello_ms number|nil how long to wait for the answer to a hello
---@field show fun(line: string) prints a status line

---@class Client
---@field private link Link|nil
---@field private linked boolean whether hello-ok has come
---@field private agreed table<string, boolean> the capabilities that both sides have
---@field private ended table|nil how the program ends: `problem` says why, nil for a clean end
---@field private patience Wait for a connection, or for the answer to a hello
---@field private bye Wait|nil for the bridge to close the link, once it was asked to
---@field private closing Link|nil the last link, which may still be closing
local Client = {}
Client.__index = Client

---@param options ClientOptions
---@return Client
local function new(options)
    local client = setmetatable({ options = options, agreed = {}, linked = false }, Client)
    client.events = events_of.new()
    client.events.on_peek = function(event)
        if client.link then
            client.link:peek(event)
        elseif client.closing then
            client.closing:peek(event)
        end
    end
    client.scheduler = scheduler.new(client.events, function(run)
        client:run_ended(run)
    end)
    client.hello_ms = options.hello_ms or HELLO_MS
    client.retry = retry.new()
    client.handlers = tools.new_handlers()
    client.jobs = jobs.new(function(run_options)
        return client:start_run(run_options)
    end, function(id, reason)
        client.scheduler:cancel(id, reason)
    end, function(id, params)
        return tools.call_of(id, params, client.handlers)
    end)
    return client
end

function Client:finish(problem)
    self.ended = self.ended or { problem = problem }
end

-- ---- the link ----------------------------------------------------------------------------------

function Client:connect()
    self.closing = nil
    self.linked, self.greeted, self.agreed = false, false, {}
    self.inbox = inbox.new()
    self.patience = wait.new(CONNECT_MS)
    self.link = links.open(self.options.url, self.events)
end

function Client:say_hello()
    self.label = os.getComputerLabel()
    self.link:send(frames.hello({
        id = os.getComputerID(),
        label = self.label,
        version = self.options.version,
        token = self.options.token,
    }))
end

---Takes in hello-ok, also a later one, for a label that has changed.
function Client:hello_ok(frame)
    self.agreed = {}
    if type(frame.capabilities) == "table" then
        for _, capability in ipairs(frame.capabilities) do
            self.agreed[capability] = true
        end
    end
    if self.linked then
        return
    end
    self.linked, self.shown = true, nil
    self.negotiates = frame.capabilities ~= nil
    self.options.show(("linked as %s"):format(requests.name(os)))
    if not self.was_linked then
        self.was_linked = true
        self.options.show("waiting for requests... Press Ctrl+T to stop.")
    end
end

function Client:hello_refused(frame)
    if self.linked then
        return
    end
    self:finish(problems.refused(tostring(frame.error)))
    self.refused = wait.new(REFUSED_CLOSE_MS)
end

---Ends the link for good. The bridge closes it where it can be asked to, which ends it at once and after all that was
---sent; asked a second time, or where it cannot be asked, it is closed from here.
function Client:leave()
    self:finish(nil)
    local link = self.link
    if not link then
        return
    end
    self.scheduler:drop_all()
    if self.agreed.bye and link.state == "open" and not self.bye then
        self.bye = wait.new(BYE_MS)
        link:send_last(frames.BYE)
    else
        link:close("stopped")
    end
end

---Waits until a link that was closed from here is gone: what comes after may turn the computer off.
function Client:await_close()
    while self.closing and self.closing:closing_s() > 0 do
        os.startTimer(self.closing:closing_s())
        self.events:yield()
    end
end

---Decides what follows when the link is gone or never came to be.
function Client:link_lost()
    local link = self.link
    self.link, self.closing = nil, link
    self.scheduler:drop_all()
    if self.ended then
        return
    end
    local url = self.options.url
    if problems.is_replaced(link.problem, link.code) then
        return self:finish(problems.replaced(os.getComputerID()))
    end
    local message, hopeless
    if self.linked then
        message = problems.lost(link.problem, link.code)
        self.retry:lost()
    else
        message, hopeless = problems.cannot_connect(url, link.problem)
    end
    self.linked = false
    if hopeless or self.options.once then
        return self:finish(message)
    end
    local delay = self.retry:next_delay()
    self.pause = wait.new(delay * 1000)
    if message ~= self.shown then
        self.shown = message
        self.options.show(message)
        self.options.show(("connecting again in %.1f s"):format(delay))
    end
end

---Says whether the bridge has to hear of another label. A chunk that has just changed it answers first.
function Client:is_renamed()
    if os.getComputerLabel() == self.label then
        self.renaming = nil
        return false
    end
    self.renaming = self.renaming or wait.new(RENAMED_MS)
    return not self.scheduler:is_busy() or self.renaming:is_over()
end

---Does what is due: a connection, a hello, an end of patience.
function Client:advance()
    local link = self.link
    if not link then
        if not self.ended and self.pause:is_over() then
            self:connect()
        end
        return
    end
    if link.state == "open" and not self.greeted then
        self.greeted = true
        self.patience = wait.new(self.hello_ms)
        self:say_hello()
    elseif link.state == "open" and self.linked and self.negotiates and self:is_renamed() then
        self:say_hello()
    elseif not self.linked and self.patience:is_over() then
        link:close(problems.silence(self.options.url, self.greeted, self.hello_ms))
    elseif self.refused and self.refused:is_over() then
        link:close("the hello was refused")
    elseif self.bye and self.bye:is_over() then
        link:close("stopped")
    end
    if link.state == "closed" then
        self:link_lost()
    end
end

-- ---- frames ------------------------------------------------------------------------------------

---Sends the answer to a request, in parts where it is too large and parts were agreed.
function Client:answer(id, frame)
    if not self.link then
        return
    end
    if #frame <= frames.MESSAGE_BYTES then
        self.link:send(frame)
    else
        self.link:send_large(frames.new_splitter(id, frame))
    end
end

function Client:run_ended(run)
    if run.job then
        self.jobs:ended(run)
    else
        self:answer(run.id, run.answer)
    end
    self.power = self.power or run.power
end

---Starts a run; what all runs have in common is added.
---@return string|nil problem
function Client:start_run(options)
    options.program_env = self.options.program_env
    options.clock = self.events.clock
    return self.scheduler:start(options)
end

function Client:exec(id, params)
    local problem = self:start_run({
        id = id,
        code = params.code,
        tool = params.tool,
        timeout_ms = params.timeout_ms,
        cancellable = self.agreed.cancel,
        room = self.agreed.parts and frames.RESPONSE_BYTES or frames.MESSAGE_BYTES,
        wants_output = self.agreed.output or false,
    })
    if problem then
        self:answer(id, frames.failure(id, problem, { text = "", bytes = 0 }))
    end
end

function Client:request(frame)
    local id = frame.id
    if self.inbox:is_repeated(id) then
        return
    end
    local answer, exec_params
    if jobs.is_request(frame) then
        answer = self.jobs:request(frame)
    elseif self.agreed.tools and tools.is_request(frame) then
        answer, exec_params = tools.request(frame, self.handlers, function(note)
            self.link:send(note)
        end)
    else
        answer, exec_params = requests.answer(frame, os)
    end
    if answer then
        return self:answer(id, answer)
    end
    self:exec(id, exec_params)
end

function Client:frame(frame)
    local kind, id = frame.type, frame.id
    if self.bye then
        return
    end
    if kind == "hello-ok" then
        return self:hello_ok(frame)
    elseif kind == "hello-error" then
        return self:hello_refused(frame)
    elseif not self.linked or type(id) ~= "string" or id == "" or #id > MOST_ID_BYTES then
        return
    end
    if kind == "request" then
        self:request(frame)
    elseif kind == "cancel" then
        -- Wherever the request is: half come, running, or its answer half gone.
        self.inbox:forget(id)
        self.scheduler:cancel(id, "cancelled by the bridge")
        self.link:forget(id)
    elseif kind == "part" then
        self:part(frame)
    elseif kind == "answer" then
        self.scheduler:take_answer(frame)
    elseif type(kind) ~= "string" then
        self:answer(id, frames.failure(id, "malformed frame: it has no `type`"))
    end
end

function Client:part(part)
    local whole, problem = self.inbox:add_part(part)
    if problem then
        return self:answer(part.id, frames.failure(part.id, problem))
    elseif not whole then
        return
    end
    local frame, unreadable = json.decode(whole)
    if type(frame) ~= "table" then
        local why = "the request cannot be read: " .. tostring(unreadable)
        return self:answer(part.id, frames.failure(part.id, why))
    elseif frame.type ~= "request" or frame.id ~= part.id then
        return self:answer(part.id, frames.failure(part.id, "the parts together are not this request"))
    end
    self:request(frame)
end

function Client:message(message)
    if type(message) ~= "string" then
        return
    end
    local frame, problem = json.decode(json.from_wire(message))
    if type(frame) == "table" then
        return self:frame(frame)
    end
    -- Who waits for an answer gets one, if it can still be told who that is.
    local id = message:match('^{"type":"request","id":"([%w%-]+)"')
    if id and self.linked and #id <= MOST_ID_BYTES and not self.inbox:is_repeated(id) then
        self:answer(id, frames.failure(id, "the request cannot be read: " .. tostring(problem)))
    end
end

---Takes in an event of a link. What `Link:peek` has seen already is not looked at again.
function Client:link_event(event)
    local name, link = event[1], self.link
    if link and event[2] == link.address then
        if name == "websocket_message" and link.state == "open" then
            self:message(event[3])
        end
    elseif name == "websocket_success" then
        links.discard(event)
    end
end

-- ---- the loop ----------------------------------------------------------------------------------

function Client:handle(event)
    local name = event[1]
    if self.events:is_tick(event, self.scheduler:is_busy()) then
        garbage.check()
        self.scheduler:tick(function(frame)
            if self.link then
                self.link:send(frame)
            end
        end, function(run)
            self.jobs:keep_output(run)
        end)
    elseif name == "terminate" then
        self:leave()
    elseif links.is_link_event(event) then
        self:link_event(event)
    else
        self.scheduler:distribute(event)
    end
end

---Turns the computer off or starts it anew, after the answer has left and the link has ended.
function Client:do_power()
    local power = self.power
    local act = power.name == "reboot" and real_reboot or real_shutdown
    act(table.unpack(power.arguments, 1, power.arguments.n))
    while true do
        self.events:yield()
    end
end

---Runs until the program has to end.
---@return string|nil problem why it ended; nothing when it was stopped by its user
function Client:run()
    local url = problems.shown_url(self.options.url)
    self.options.show(("mcp-computer v%s connecting to %s"):format(self.options.version, url))
    garbage.ease()
    self:connect()
    self.events:is_tick({}, false)
    while true do
        self:advance()
        if self.power and not self.ended and not (self.link and self.link:has_unsent()) then
            self:leave()
        end
        if self.ended and not self.link then
            break
        end
        if self.link then
            self.link:flush()
        end
        if not (self.link and self.link:can_send() and not self.events:has_backlog()) then
            self:handle(self.events:next())
        end
    end
    self:await_close()
    if self.power then
        self:do_power()
    end
    self.events:close()
    garbage.restore()
    return self.ended.problem
end

return { new = new }
