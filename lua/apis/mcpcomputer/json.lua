-- JSON as the link protocol needs it. `textutils` mangles UTF-8, rounds numbers and differs between versions of the
-- game, so that frames are written and read here: UTF-8 stays raw, and every number comes back as it went.

local text = require("/apis/mcpcomputer/text")

-- Frames are a few levels deep; a stranger's text must not overflow the stack.
local MAX_DEPTH = 64

-- The whole numbers that a Lua number holds exactly lie within 2^53.
local EXACT = 2 ^ 53

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
for byte = 0, 31 do
    local character = string.char(byte)
    ESCAPES[character] = ESCAPES[character] or ("\\u%04x"):format(byte)
end

local UNESCAPES = {
    ['"'] = '"',
    ["\\"] = "\\",
    ["/"] = "/",
    b = "\b",
    f = "\f",
    n = "\n",
    r = "\r",
    t = "\t",
}

-- Before 1.109 the game takes the bytes of a message for Latin-1 and sends them as UTF-8, and the other way round.
-- There everything beyond ASCII is written as escapes, which pass, and what comes is turned back.
local latin1_wire = false
do
    local minor = tonumber(tostring(_HOST):match("^ComputerCraft 1%.(%d+)"))
    if minor and minor < 109 and not tostring(_HOST):find("CraftOS%-PC") then
        latin1_wire = true
    end
end

local function ascii_escape(character)
    local first, second, third, fourth = character:byte(1, 4)
    local code
    if fourth then
        code = (first % 8) * 262144 + (second % 64) * 4096 + (third % 64) * 64 + fourth % 64 - 0x10000
        return ("\\u%04x\\u%04x"):format(0xD800 + math.floor(code / 1024), 0xDC00 + code % 1024)
    elseif third then
        code = (first % 16) * 4096 + (second % 64) * 64 + third % 64
    else
        code = (first % 32) * 64 + second % 64
    end
    return ("\\u%04x"):format(code)
end

---Writes a string. Bytes that are not UTF-8 become escapes as Lua writes them, so that the result is always JSON.
---@param value string
---@param ascii boolean|nil whether to escape what is not ASCII; what the computer needs, when left out
---@return string
local function encode_string(value, ascii)
    if ascii == nil then
        ascii = latin1_wire
    end
    value = text.to_utf8(value):gsub('[%z\1-\31"\\]', ESCAPES)
    if ascii and value:find("[\128-\255]") then
        value = value:gsub("[\194-\244][\128-\191]+", ascii_escape)
    end
    return '"' .. value .. '"'
end

---Gives a message that came over the link as the UTF-8 that it was.
---@param message string
---@param latin1 boolean|nil whether the computer read it as Latin-1; what this one does, when left out
---@return string
local function from_wire(message, latin1)
    if latin1 == nil then
        latin1 = latin1_wire
    end
    if not latin1 then
        return message
    end
    return (
        message:gsub("[\128-\255]", function(character)
            local byte = character:byte()
            return string.char(192 + math.floor(byte / 64), 128 + byte % 64)
        end)
    )
end

---Writes a number; nothing for nan and the infinities, which JSON cannot hold.
---@param value number
---@return string|nil
local function encode_number(value)
    if value ~= value or value == math.huge or value == -math.huge then
        return nil
    end
    if value % 1 == 0 and value >= -EXACT and value <= EXACT then
        return ("%.0f"):format(value)
    end
    for _, format in ipairs({ "%.14g", "%.15g", "%.16g" }) do
        local written = format:format(value)
        if tonumber(written) == value then
            return written
        end
    end
    return ("%.17g"):format(value)
end

local function sorted_keys(object)
    local keys = {}
    for key in pairs(object) do
        if type(key) ~= "string" then
            error("cannot write a table with the key `" .. tostring(key) .. "` as JSON", 0)
        end
        keys[#keys + 1] = key
    end
    table.sort(keys)
    return keys
end

local encode_value

local function encode_table(value, depth)
    local pieces = {}
    if value[1] ~= nil then
        for index, item in ipairs(value) do
            pieces[index] = encode_value(item, depth)
        end
        return "[" .. table.concat(pieces, ",") .. "]"
    end
    for index, key in ipairs(sorted_keys(value)) do
        pieces[index] = encode_string(key) .. ":" .. encode_value(value[key], depth)
    end
    return "{" .. table.concat(pieces, ",") .. "}"
end

function encode_value(value, depth)
    local kind = type(value)
    if depth > MAX_DEPTH then
        error("cannot write more than " .. MAX_DEPTH .. " levels as JSON", 0)
    elseif kind == "string" then
        return encode_string(value)
    elseif kind == "number" then
        return encode_number(value) or "null"
    elseif kind == "boolean" then
        return tostring(value)
    elseif kind == "nil" then
        return "null"
    elseif kind == "table" then
        return encode_table(value, depth + 1)
    end
    error("cannot write a " .. kind .. " as JSON", 0)
end

---Writes any value that is made of tables and scalars. A table with an entry 1 is a list, any other an object, whose
---keys are sorted.
---@param value any
---@return string
local function encode(value)
    return encode_value(value, 0)
end

-- ---- reading -----------------------------------------------------------------------------------

local function fail(at, what)
    error(("malformed JSON at byte %d: %s"):format(at, what), 0)
end

local function skip_space(source, at)
    return source:find("[^ \t\r\n]", at) or #source + 1
end

local function utf8_character(code)
    if code < 0x80 then
        return string.char(code)
    elseif code < 0x800 then
        return string.char(0xC0 + math.floor(code / 64), 0x80 + code % 64)
    elseif code < 0x10000 then
        return string.char(0xE0 + math.floor(code / 4096), 0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
    end
    return string.char(
        0xF0 + math.floor(code / 262144),
        0x80 + math.floor(code / 4096) % 64,
        0x80 + math.floor(code / 64) % 64,
        0x80 + code % 64
    )
end

---Reads `\uXXXX`, both halves where it is a surrogate pair. A half alone becomes U+FFFD.
local function decode_unicode(source, at)
    local digits = source:match("^%x%x%x%x", at)
    if not digits then
        fail(at, "four hexadecimal digits are expected after `\\u`")
    end
    local code = tonumber(digits, 16)
    if code >= 0xD800 and code < 0xDC00 then
        local low = tonumber(source:match("^\\u(%x%x%x%x)", at + 4) or "0", 16)
        if low >= 0xDC00 and low < 0xE000 then
            return utf8_character(0x10000 + (code - 0xD800) * 1024 + (low - 0xDC00)), at + 10
        end
    end
    if code >= 0xD800 and code < 0xE000 then
        code = 0xFFFD
    end
    return utf8_character(code), at + 4
end

---Reads a string whose opening quote stands before `at`.
local function decode_string(source, at)
    local stop = source:find('["\\%z\1-\31]', at)
    if stop and source:byte(stop) == 34 then
        return source:sub(at, stop - 1), stop + 1
    end
    local pieces = {}
    while stop do
        pieces[#pieces + 1] = source:sub(at, stop - 1)
        local byte = source:byte(stop)
        if byte == 34 then
            return table.concat(pieces), stop + 1
        elseif byte ~= 92 then
            fail(stop, "a control character in a string")
        end
        local letter = source:sub(stop + 1, stop + 1)
        if letter == "u" then
            pieces[#pieces + 1], at = decode_unicode(source, stop + 2)
        else
            pieces[#pieces + 1] = UNESCAPES[letter] or fail(stop, "an unknown escape")
            at = stop + 2
        end
        stop = source:find('["\\%z\1-\31]', at)
    end
    return fail(#source + 1, "a string does not end")
end

local function decode_number(source, at)
    local whole = source:match("^-?%d+", at)
    if not whole or whole:find("^-?0%d") then
        fail(at, "a value is expected")
    end
    local after = at + #whole
    local fraction = source:match("^%.%d+", after) or ""
    after = after + #fraction
    local exponent = source:match("^[eE][+-]?%d+", after) or ""
    return tonumber(whole .. fraction .. exponent), after + #exponent
end

local decode_value

local function decode_list(source, at, depth)
    local list, count = {}, 0
    at = skip_space(source, at)
    if source:byte(at) == 93 then
        return list, at + 1
    end
    while true do
        count = count + 1
        list[count], at = decode_value(source, at, depth)
        at = skip_space(source, at)
        local byte = source:byte(at)
        if byte == 93 then
            return list, at + 1
        elseif byte ~= 44 then
            fail(at, "`,` or `]` is expected")
        end
        at = at + 1
    end
end

local function decode_object(source, at, depth)
    local object = {}
    at = skip_space(source, at)
    if source:byte(at) == 125 then
        return object, at + 1
    end
    while true do
        at = skip_space(source, at)
        if source:byte(at) ~= 34 then
            fail(at, "a key is expected")
        end
        local key
        key, at = decode_string(source, at + 1)
        at = skip_space(source, at)
        if source:byte(at) ~= 58 then
            fail(at, "`:` is expected")
        end
        object[key], at = decode_value(source, at + 1, depth)
        at = skip_space(source, at)
        local byte = source:byte(at)
        if byte == 125 then
            return object, at + 1
        elseif byte ~= 44 then
            fail(at, "`,` or `}` is expected")
        end
        at = at + 1
    end
end

function decode_value(source, at, depth)
    if depth > MAX_DEPTH then
        fail(at, "more than " .. MAX_DEPTH .. " levels")
    end
    at = skip_space(source, at)
    local byte = source:byte(at)
    if byte == 34 then
        return decode_string(source, at + 1)
    elseif byte == 123 then
        return decode_object(source, at + 1, depth + 1)
    elseif byte == 91 then
        return decode_list(source, at + 1, depth + 1)
    elseif source:find("^true", at) then
        return true, at + 4
    elseif source:find("^false", at) then
        return false, at + 5
    elseif source:find("^null", at) then
        return nil, at + 4
    end
    return decode_number(source, at)
end

---Reads JSON. `null` becomes nil. Never throws.
---@param source string
---@return any value
---@return string|nil problem what is wrong with the text, where it is not JSON
local function decode(source)
    local ok, value, after = pcall(decode_value, source, 1, 0)
    if not ok then
        return nil, value
    end
    if skip_space(source, after) <= #source then
        return nil, ("malformed JSON at byte %d: more than one value"):format(after)
    end
    return value
end

return {
    encode = encode,
    encode_string = encode_string,
    encode_number = encode_number,
    decode = decode,
    from_wire = from_wire,
}
