-- One WebSocket connection to the bridge: opening it, what waits to be sent, and its end. It says no hello and reads
-- no frame; that is client.lua.

local wait = require("/apis/mcpcomputer/wait")

local now, start_timer = os.epoch, os.startTimer
local pcall = pcall

local IS_CRAFTOS_PC = tostring(_HOST):find("CraftOS%-PC") ~= nil
-- And not the embedded emulator, which names both and has none of its defects.
local HAS_DEFECTS = IS_CRAFTOS_PC and not tostring(_HOST):find("embedded-craftos", 1, true)

-- Frames that are sent before the program looks at what has come: large answers do not hold up pings.
local FRAMES_PER_FLUSH = 8

-- CraftOS-PC ends when it sends onto a connection that has just been dropped, before it has told of that; and when the
-- bridge goes away while a send waits for room in the socket. So a large frame rests after each part, for the one to
-- be told and for the bridge to take in the other: 125 KB in 20 ms are still 6 MB a second.
local RESTS = IS_CRAFTOS_PC
local REST_S = 0.02

-- A send that took long waited for room. It rests for this many times as long.
local SLOW_SEND_RESTS = 4

-- CraftOS-PC itself keeps a connection that was closed from here for up to a second, then tells of its end, and crashes
-- when it is turned off before that.
local CLOSES_LATE = HAS_DEFECTS
local CLOSE_MS = 1500

---@class Link
---@field state "connecting"|"open"|"closed"
---@field address string what the events of this connection carry
---@field problem string|nil why it is closed
---@field code number|nil the close code that the bridge gave
---@field private socket table|nil
---@field private single string[] frames that are whole messages
---@field private large Splitter[] frames that go in parts: they wait for the others
---@field private rests Wait|nil until parts may be sent again
---@field private closing Wait|nil for the end of a connection that was closed from here
---@field private events Events
local Link = {}
Link.__index = Link

local MARK = "#mcp-computer-"

-- Numbers the connections, so that an event of an earlier one is never taken for one of this; the time tells them
-- apart from those before a reboot, whose end CraftOS-PC reports up to a second later.
local session = ("%.0f"):format(os.epoch("utc"))
local connections = 0

---Gives the address for the events of a new connection. It leads where the URL leads; the fragment stays on the
---computer, and only makes it unlike that of any other connection, of this program or of a chunk.
local function address_of(url)
    connections = connections + 1
    -- CraftOS-PC drops a query without a path, and the path of `localhost`.
    url = url:gsub("#.*$", ""):gsub("^(%a+://[^/?]*)%?", "%1/?")
    if IS_CRAFTOS_PC then
        url = url:gsub("^(%a+://)localhost([:/?])", "%1127.0.0.1%2")
    end
    return ("%s%s%s-%d"):format(url, MARK, session, connections)
end

---Begins to connect.
---@param url string
---@param events Events
---@return Link
local function open(url, events)
    local link = setmetatable({
        state = "connecting",
        address = address_of(url),
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
        self.closing = CLOSES_LATE and wait.new(CLOSE_MS) or nil
    end
end

---Says how long the end of a connection that was closed from here may still take.
---@return number seconds 0 when it is gone
function Link:closing_s()
    return self.closing and self.closing:left_s() or 0
end

---Takes in what an event says about this connection, as soon as it has come.
---@param event table
function Link:peek(event)
    if self.rests and self.rests:is_over() then
        self.rests = nil
    end
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
        self.closing = nil
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

---Queues the last frame; parts that still wait are not sent any more.
---@param frame string
function Link:send_last(frame)
    self.large = {}
    self:send(frame)
end

---Drops what has not been sent of a large frame.
---@param id string whose answer it is
function Link:forget(id)
    for index = #self.large, 1, -1 do
        if self.large[index]:is_for(id) then
            table.remove(self.large, index)
        end
    end
end

---Says whether something waits to be sent.
---@return boolean
function Link:has_unsent()
    return self.state == "open" and (self.single[1] ~= nil or self.large[1] ~= nil)
end

---Says whether something can be sent now.
---@return boolean
function Link:can_send()
    return self:has_unsent() and (self.single[1] ~= nil or not self.rests)
end

---Sends what waits, some frames at a time. Before each it looks whether the connection is still there, where that
---matters: on CraftOS-PC, sending onto one that the bridge has dropped ends the whole process. Elsewhere it looks only
---before a part, for what has come meanwhile to have its turn.
function Link:flush()
    for _ = 1, FRAMES_PER_FLUSH do
        if not self:can_send() then
            return
        end
        -- Taken first: writing a part takes time, in which the connection may go.
        local message, is_part = self:take()
        if HAS_DEFECTS or is_part then
            self.events:turn()
        end
        if self.state ~= "open" then
            return
        end
        local started = now("utc")
        if not pcall(self.socket.send, message) then
            self:fail("the connection broke")
        elseif is_part and RESTS then
            self:rest(math.max(REST_S, (now("utc") - started) / 1000 * SLOW_SEND_RESTS))
        end
    end
end

---Sends no part for some seconds.
function Link:rest(seconds)
    self.rests = wait.new(seconds * 1000)
    start_timer(seconds)
end

---Takes the next message off the queues.
---@return string message
---@return boolean is_part
function Link:take()
    if self.single[1] then
        return table.remove(self.single, 1), false
    end
    local part, is_last = self.large[1]:next()
    if is_last then
        table.remove(self.large, 1)
    end
    return part, true
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
