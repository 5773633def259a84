-- One WebSocket connection to the bridge: opening it, what waits to be sent, and its end. It says no hello and reads
-- no frame; that is client.lua.

local pcall = pcall

-- Frames that are sent before the program looks at what has come: large answers do not hold up pings.
local FRAMES_PER_FLUSH = 8

---@class Link
---@field state "connecting"|"open"|"closed"
---@field address string what the events of this connection carry
---@field problem string|nil why it is closed
---@field code number|nil the close code that the bridge gave
---@field private socket table|nil
---@field private single string[] frames that are whole messages
---@field private large Splitter[] frames that go in parts: they wait for the others
---@field private events Events
local Link = {}
Link.__index = Link

local MARK = "#mcp-computer-"

-- Numbers the connections, so that an event of an earlier one is never taken for one of this; the time tells them
-- apart from those before a reboot, whose end CraftOS-PC reports up to a second later.
local session = ("%.0f"):format(os.epoch("utc"))
local connections = 0

---Begins to connect.
---@param url string
---@param events Events
---@return Link
local function open(url, events)
    connections = connections + 1
    local link = setmetatable({
        state = "connecting",
        -- The fragment stays on the computer: it only makes the address in the events unlike that of any other
        -- connection, of this program or of a chunk.
        address = url:gsub("#.*$", "") .. MARK .. session .. "-" .. connections,
        single = {},
        large = {},
        events = events,
    }, Link)
    local ok, started, problem = pcall(http.websocketAsync, link.address)
    if not ok then
        link:fail(started)
    elseif started == false then
        link:fail(problem)
    end
    return link
end

---Notes that the connection is of no use any more.
function Link:fail(problem, code)
    if self.state ~= "closed" then
        self.state, self.problem, self.code = "closed", tostring(problem or "the connection broke"), code
        self.socket, self.single, self.large = nil, {}, {}
    end
end

---Closes the connection from this side. Nothing is sent after it: CraftOS-PC could hang.
---@param problem string why
function Link:close(problem)
    local socket = self.socket
    self:fail(problem)
    if socket then
        pcall(socket.close)
    end
end

---Takes in what an event says about this connection, as soon as it has come.
---@param event table
function Link:peek(event)
    if event[2] ~= self.address then
        return
    end
    local name = event[1]
    if name == "websocket_success" then
        if self.state == "connecting" then
            self.state, self.socket = "open", event[3]
        end
    elseif name == "websocket_failure" then
        self:fail(event[3])
    elseif name == "websocket_closed" then
        self:fail(event[3], event[4])
    end
end

---Queues a frame.
---@param frame string
function Link:send(frame)
    self.single[#self.single + 1] = frame
end

---Queues a frame that is too large for one message.
---@param splitter Splitter
function Link:send_large(splitter)
    self.large[#self.large + 1] = splitter
end

---Says whether something waits to be sent.
---@return boolean
function Link:has_unsent()
    return self.state == "open" and (self.single[1] ~= nil or self.large[1] ~= nil)
end

---Sends what waits, some frames at a time. Before each it looks whether the connection is still there: on CraftOS-PC,
---sending onto one that the bridge has dropped ends the whole process.
function Link:flush()
    for _ = 1, FRAMES_PER_FLUSH do
        if not self:has_unsent() then
            return
        end
        self.events:turn()
        if not self:has_unsent() then
            return
        end
        local ok, problem = pcall(self.socket.send, self:take())
        if not ok then
            self:fail(problem)
        end
    end
end

---Takes the next message off the queues.
function Link:take()
    if self.single[1] then
        return table.remove(self.single, 1)
    end
    local part, is_last = self.large[1]:next()
    if is_last then
        table.remove(self.large, 1)
    end
    return part
end

---Says whether an event is about a connection of this program, of now or of earlier.
---@param event table
---@return boolean
local function is_link_event(event)
    return type(event[1]) == "string"
        and type(event[2]) == "string"
        and event[1]:find("^websocket_") ~= nil
        and event[2]:find(MARK, 1, true) ~= nil
end

---Closes a connection that came to be after the program had given it up.
---@param event table the `websocket_success`
local function discard(event)
    if type(event[3]) == "table" then
        pcall(event[3].close)
    end
end

return { open = open, is_link_event = is_link_event, discard = discard }
