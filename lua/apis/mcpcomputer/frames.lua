-- The frames that a computer sends, as text, and the parts of those that are too large for one message.
-- docs/LINK-PROTOCOL.md is their specification; what they do is decided in client.lua.

local describe = require("/apis/mcpcomputer/describe")
local json = require("/apis/mcpcomputer/json")
local text = require("/apis/mcpcomputer/text")

local CAPABILITIES = { "exec-lua", "cancel", "output", "parts", "tools", "bye" }

-- Asks the bridge to close the link.
local BYE = '{"type":"bye"}'

-- The largest WebSocket message: the game and CraftOS-PC throw at more, the bridge closes the link.
local MESSAGE_BYTES = 131072

-- The largest whole response in parts, and room for what surrounds returns and output.
local RESPONSE_BYTES = 8 * 1024 * 1024
local RESPONSE_OVERHEAD = 1024

-- Bytes of a frame's JSON in one part: as many as mostly fit, and as many as always do. Quotes and backslashes double
-- when they are quoted again, nothing grows more.
local PART_BYTES = 125000
local SURE_PART_BYTES = 64000

-- An error is for a person to read; the rest of the room is for the output.
local ERROR_BYTES = 16 * 1024

-- The same for what the bridge sends: a chunk of 1 MiB, in which every byte is escaped to six.
local REQUEST_BYTES = 8 * 1024 * 1024
local REQUEST_PARTS = 2048

---@class Hello
---@field id number
---@field label string|nil
---@field version string|nil
---@field token string|nil

---@class Captured
---@field text string what was printed, as far as it was kept
---@field bytes number how much was printed in all

---Writes the hello.
---@param who Hello
---@return string
local function hello(who)
    local pieces = { '{"type":"hello","computerId":', json.encode_number(who.id) }
    if who.label and who.label ~= "" then
        pieces[#pieces + 1] = ',"computerLabel":' .. json.encode_string(text.from_game(who.label))
    end
    if who.version then
        pieces[#pieces + 1] = ',"version":' .. json.encode_string(who.version)
        pieces[#pieces + 1] = ',"capabilities":' .. json.encode(CAPABILITIES)
    end
    if who.token then
        pieces[#pieces + 1] = ',"token":' .. json.encode_string(who.token)
    end
    return table.concat(pieces) .. "}"
end

---Writes a response whose result is a text.
---@param id string
---@param result string
---@return string
local function response(id, result)
    local encoded_id, encoded_result = json.encode_string(id), json.encode_string(result)
    return ('{"type":"response","id":%s,"ok":true,"result":%s}'):format(encoded_id, encoded_result)
end

---Writes a response that reports a failure; with what was printed until then, where there was a chunk.
---@param id string
---@param problem string
---@param captured Captured|nil
---@param room number|nil bytes that the frame may have
---@param pause fun()|nil
---@return string
local function failure(id, problem, captured, room, pause)
    local _, encoded_error = describe.fit(problem, ERROR_BYTES, pause)
    local head = ('{"type":"response","id":%s,"ok":false,"error":%s'):format(
        json.encode_string(id),
        encoded_error
    )
    if not captured then
        return head .. "}"
    end
    local left = (room or RESPONSE_BYTES) - #head - RESPONSE_OVERHEAD
    local _, encoded_output = describe.fit(captured.text, left, pause, captured.bytes)
    return head .. ',"output":' .. encoded_output .. "}"
end

---Writes the response to a chunk that ended well. Returned values and output share the room; where both are large,
---each gets half.
---@param id string
---@param returns table the values, as `table.pack` makes them
---@param captured Captured
---@param room number|nil bytes that the frame may have
---@param pause fun()|nil
---@return string
local function success(id, returns, captured, room, pause)
    room = (room or RESPONSE_BYTES) - RESPONSE_OVERHEAD - #id
    local for_returns = room - math.min(#captured.text * 2, math.floor(room / 2))
    local _, encoded_returns = describe.describe_all(returns, for_returns, pause)
    local _, encoded_output = describe.fit(captured.text, room - #encoded_returns, pause, captured.bytes)
    return table.concat({
        '{"type":"response","id":',
        json.encode_string(id),
        ',"ok":true,"result":{"returns":',
        encoded_returns,
        ',"output":',
        encoded_output,
        "}}",
    })
end

---Writes an output frame.
---@param id string
---@param data string
---@return string
local function output(id, data)
    return ('{"type":"output","id":%s,"data":%s}'):format(json.encode_string(id), json.encode_string(data))
end

---Writes a response whose result is JSON already.
---@param id string
---@param result string
---@return string
local function response_json(id, result)
    return table.concat({
        '{"type":"response","id":',
        json.encode_string(id),
        ',"ok":true,"result":',
        result,
        "}",
    })
end

---Writes what a tool says while it runs: `progress`, `log` or `ask`.
---@param kind string
---@param id string
---@param data table
---@return string
local function note(kind, id, data)
    return ('{"type":"%s","id":%s,"data":%s}'):format(kind, json.encode_string(id), json.encode(data))
end

---Cuts a frame into part frames, one after the other, when they are sent.
---@class Splitter
---@field private id string the request, as JSON
---@field private frame string
---@field private at number
---@field private seq number
---@field private most number bytes of the frame in the next part
local Splitter = {}
Splitter.__index = Splitter

---@param id string
---@param frame string
---@return Splitter
local function new_splitter(id, frame)
    local encoded_id = json.encode_string(id)
    return setmetatable({ id = encoded_id, frame = frame, at = 1, seq = 0, most = PART_BYTES }, Splitter)
end

---Writes the part that follows, with at most `most` bytes of the frame in it.
---@return string part
---@return number after where the frame goes on behind it
function Splitter:part(most)
    local slice = self.frame:sub(self.at, self.at + most + 3)
    slice = slice:sub(1, text.whole_characters(slice, most))
    local after = self.at + #slice
    local part = ('{"type":"part","id":%s,"seq":%d,"last":%s,"data":%s}'):format(
        self.id,
        self.seq,
        tostring(after > #self.frame),
        json.encode_string(slice)
    )
    return part, after
end

---Gives the next part.
---@return string part
---@return boolean is_last
function Splitter:next()
    local part, after = self:part(self.most)
    if #part > MESSAGE_BYTES then
        -- The rest of the frame is mostly like it.
        self.most = SURE_PART_BYTES
        part, after = self:part(self.most)
    end
    self.at, self.seq = after, self.seq + 1
    return part, after > #self.frame
end

---Says whether the frame is the answer to this request.
---@param id string
---@return boolean
function Splitter:is_for(id)
    return self.id == json.encode_string(id)
end

---Cuts a frame that is too large for one message into part frames; one that is not is given back alone.
---@param id string
---@param frame string
---@return string[]
local function split(id, frame)
    if #frame <= MESSAGE_BYTES then
        return { frame }
    end
    local splitter = new_splitter(id, frame)
    local parts = {}
    repeat
        local part, is_last = splitter:next()
        parts[#parts + 1] = part
    until is_last
    return parts
end

---Puts the parts of one frame together.
---@class Joiner
---@field private pieces string[]
---@field private bytes number
local Joiner = {}
Joiner.__index = Joiner

---@return Joiner
local function new_joiner()
    return setmetatable({ pieces = {}, bytes = 0 }, Joiner)
end

---Adds a part.
---@param part table the part frame
---@return string|nil whole the frame's text, once the last part is there
---@return string|nil problem why the parts do not fit together
function Joiner:add(part)
    local expected = #self.pieces
    if type(part.last) ~= "boolean" or type(part.data) ~= "string" then
        return nil, "a part has no `last` or `data`"
    elseif type(part.seq) ~= "number" or part.seq < 0 or part.seq % 1 ~= 0 then
        return nil, "a part has no `seq`"
    elseif part.seq < expected then
        return nil, ("part %d came twice"):format(part.seq)
    elseif part.seq > expected then
        return nil, ("part %d is missing: part %d came instead"):format(expected, part.seq)
    elseif expected >= REQUEST_PARTS then
        return nil, ("the request came in more than %d parts"):format(REQUEST_PARTS)
    elseif self.bytes + #part.data > REQUEST_BYTES then
        return nil, ("the request has more than %d bytes"):format(REQUEST_BYTES)
    end
    self.pieces[expected + 1] = part.data
    self.bytes = self.bytes + #part.data
    if part.last then
        return table.concat(self.pieces)
    end
    return nil
end

return {
    BYE = BYE,
    CAPABILITIES = CAPABILITIES,
    MESSAGE_BYTES = MESSAGE_BYTES,
    RESPONSE_BYTES = RESPONSE_BYTES,
    hello = hello,
    response = response,
    failure = failure,
    success = success,
    output = output,
    response_json = response_json,
    note = note,
    split = split,
    new_splitter = new_splitter,
    new_joiner = new_joiner,
}
