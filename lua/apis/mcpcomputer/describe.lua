-- Values that a chunk returned, described for the bridge: see "Descriptions of values" in docs/LINK-PROTOCOL.md.
-- Each description is made to fit a room in bytes of JSON; what is cut says so.

local json = require("/apis/mcpcomputer/json")
local serialize = require("/apis/mcpcomputer/serialize").serialize
local text = require("/apis/mcpcomputer/text")

-- What a description needs besides its text: `{"type":"userdata","base64":}` and the comma after it.
local DESCRIPTION_OVERHEAD = 48

-- A smaller room is not worth a description; the rest of the values is counted instead.
local LEAST_ROOM = 128

-- Bytes that are made valid text at once, between two pauses.
local SLICE_BYTES = 32 * 1024

-- Bytes that are written as JSON at once; that is quicker.
local ENCODED_BYTES = 256 * 1024

-- What stands in JSON otherwise than in the text.
local UNLIKE_JSON = '[%z\1-\31"\\\128-\255]'

local function no_pause() end

---Gives a string as one piece of memory. CraftOS-PC keeps substrings and joined strings as references, and copies all
---of such a string for every look into it.
local function flat(value)
    return table.concat({ value })
end

---Makes a string valid UTF-8 in slices, with pauses between them, until the room is full.
---@return string valid
---@return boolean whole whether all of it is there
local function to_utf8(value, room, pause)
    local pieces, bytes, at = {}, 0, 1
    while at <= #value and bytes <= room do
        local slice = value:sub(at, at + SLICE_BYTES + 3)
        slice = slice:sub(1, text.whole_characters(slice, SLICE_BYTES))
        local valid = text.to_utf8(slice)
        pieces[#pieces + 1] = valid
        bytes = bytes + #valid
        at = at + #slice
        pause()
    end
    return table.concat(pieces), at > #value
end

---Writes valid text as JSON in slices, with pauses between them.
local function encode(value, pause)
    if #value <= ENCODED_BYTES then
        return json.encode_string(value)
    end
    local pieces, at = { '"' }, 1
    while at <= #value do
        local slice = value:sub(at, at + ENCODED_BYTES + 3)
        slice = slice:sub(1, text.whole_characters(slice, ENCODED_BYTES))
        pieces[#pieces + 1] = json.encode_string(slice):sub(2, -2)
        at = at + #slice
        pause()
    end
    pieces[#pieces + 1] = '"'
    return table.concat(pieces)
end

---Writes a text as JSON that has at most `room` bytes. A text that is too long is cut, and says so at its end.
---@param value string
---@param room number
---@param pause fun()|nil
---@param whole_bytes number|nil how long the text was, where `value` is only its beginning; infinite for unknown
---@return string fitting the text itself
---@return string encoded its JSON
---@return boolean cut
local function fit(value, room, pause, whole_bytes)
    pause = pause or no_pause
    whole_bytes = whole_bytes or #value
    if
        #value <= SLICE_BYTES
        and #value + 2 <= room
        and whole_bytes == #value
        and not value:find(UNLIKE_JSON)
    then
        return value, '"' .. value .. '"', false
    end
    local whole = whole_bytes == #value and #value <= room
    -- No byte becomes less than a byte: what lies behind the room need not be looked at.
    local beginning = flat(#value > room and value:sub(1, text.whole_characters(value, room)) or value)
    local fitting, valid = to_utf8(beginning, room, pause)
    local encoded = encode(fitting, pause)
    if whole and valid and #encoded <= room then
        return fitting, encoded, false
    end
    local note = whole_bytes < math.huge and "... [cut: %.0f bytes in all]"
        or "... [cut: more than %.0f bytes in all]"
    note = note:format(whole_bytes < math.huge and whole_bytes or #value)
    local kept = math.floor(#fitting * math.min(1, room / #encoded)) - #note - 2
    while true do
        kept = math.max(0, kept)
        local cut = flat(fitting:sub(1, text.whole_characters(fitting, kept)) .. note)
        encoded = encode(cut, pause)
        if #encoded <= room or kept == 0 then
            return cut, encoded, true
        end
        kept = math.floor(kept * 0.9)
    end
end

local function text_of(value)
    local ok, written = pcall(tostring, value)
    if ok and type(written) == "string" then
        return written
    end
    return type(value) .. " (its __tostring fails)"
end

---Gives a text for a value that has no JSON of its own.
---@return string
---@return number bytes how long it would be; infinite where it was not written to its end
local function representation(value, most, pause)
    local ok, written, is_whole = pcall(serialize, value, most, pause)
    if not ok or type(written) ~= "string" then
        written, is_whole = text_of(value), true
    end
    return written, is_whole and #written or math.huge
end

local function described(kind, field, content, encoded)
    return { type = kind, [field] = content }, ('{"type":"%s","%s":%s}'):format(kind, field, encoded)
end

local function describe_string(value, room, pause)
    if not text.is_utf8(value) and #value * 4 / 3 + 4 <= room then
        local written = text.base64(value)
        return described("string", "base64", written, '"' .. written .. '"')
    end
    local fitting, encoded, cut = fit(value, room, pause)
    return described("string", cut and "repr" or "value", fitting, encoded)
end

---Describes one value.
---@param value any
---@param room number|nil bytes that the description may take as JSON; as many as it needs, when left out
---@param pause fun()|nil called now and then during long work
---@return table description
---@return string encoded its JSON
local function describe(value, room, pause)
    room = (room or math.huge) - DESCRIPTION_OVERHEAD
    local kind = type(value)
    if kind == "nil" then
        return { type = "nil" }, '{"type":"nil"}'
    elseif kind == "boolean" then
        return described(kind, "value", value, tostring(value))
    elseif kind == "number" then
        local encoded = json.encode_number(value)
        if encoded then
            return described(kind, "value", value, encoded)
        end
        local name = value ~= value and "nan" or value > 0 and "inf" or "-inf"
        return described(kind, "repr", name, '"' .. name .. '"')
    elseif kind == "string" then
        return describe_string(value, room, pause or no_pause)
    end
    local written, bytes = representation(value, room, pause or no_pause)
    local fitting, encoded = fit(written, room, pause, bytes)
    return described(kind, "repr", fitting, encoded)
end

---Describes a list of values as `table.pack` makes it; nils are kept.
---@param values table
---@param room number bytes for all of them
---@param pause fun()|nil
---@return table descriptions
---@return string encoded
local function describe_all(values, room, pause)
    pause = pause or no_pause
    local descriptions, encoded = {}, {}
    local left = room - LEAST_ROOM
    for index = 1, values.n do
        local description, written = describe(values[index], math.max(left, LEAST_ROOM), pause)
        if #written + 1 > left then
            local note = ("[cut: %d of %d values]"):format(index - 1, values.n)
            descriptions[index], encoded[index] = described("cut", "repr", note, json.encode_string(note))
            break
        end
        descriptions[index], encoded[index] = description, written
        left = left - #written - 1
        if index % 1000 == 0 then
            pause()
        end
    end
    return descriptions, "[" .. table.concat(encoded, ",") .. "]"
end

---Gives the text of whatever a chunk threw.
---@param problem any
---@return string
local function describe_error(problem)
    if type(problem) == "string" then
        return problem
    elseif type(problem) ~= "table" then
        return tostring(problem)
    end
    local metatable = getmetatable(problem)
    if type(metatable) == "table" and metatable.__tostring then
        return text_of(problem)
    end
    return (representation(problem, SLICE_BYTES, no_pause))
end

return {
    describe = describe,
    describe_all = describe_all,
    describe_error = describe_error,
    fit = fit,
}
