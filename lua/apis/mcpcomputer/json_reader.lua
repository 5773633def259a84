-- Reads JSON, exactly and without throwing. Writing it is json.lua, which gives this away as `decode`.

-- Every call of a function in C takes CraftOS-PC about a microsecond, and a frame comes with every request: what most
-- frames are made of is matched by one pattern each, and only the rest byte by byte.

local byte_at, find, match = string.byte, string.find, string.match

-- Frames are a few levels deep; a stranger's text must not overflow the stack.
local MAX_DEPTH = 64

-- A key without escapes up to the value, and the rest of a string without escapes up to what follows it.
local KEY = '^[ \t\r\n]*"([^"\\%z\1-\31]*)"[ \t\r\n]*:[ \t\r\n]*()'
local STRING = '^([^"\\%z\1-\31]*)"()'

-- A key with a string, both without escapes, up to what follows the comma, or the end of the object.
local FIELD = KEY:gsub("%(%)$", "") .. '"([^"\\%z\1-\31]*)"[ \t\r\n]*([,}])()'

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

local function fail(at, what)
    error(("malformed JSON at byte %d: %s"):format(at, what), 0)
end

---Passes over white space.
---@return number at where the next character stands
---@return number|nil byte that character; nil at the end
local function skip_space(source, at)
    local byte = byte_at(source, at)
    if byte and byte <= 32 then
        at = find(source, "[^ \t\r\n]", at) or #source + 1
        byte = byte_at(source, at)
    end
    return at, byte
end

local function utf8_character(code)
    if code < 0x80 then
        return string.char(code)
    elseif code < 0x800 then
        return string.char(0xC0 + math.floor(code / 64), 0x80 + code % 64)
    elseif code < 0x10000 then
        return string.char(
            0xE0 + math.floor(code / 4096),
            0x80 + math.floor(code / 64) % 64,
            0x80 + code % 64
        )
    end
    return string.char(
        0xF0 + math.floor(code / 262144),
        0x80 + math.floor(code / 4096) % 64,
        0x80 + math.floor(code / 64) % 64,
        0x80 + code % 64
    )
end

---Turns the escapes of a string into what they stand for. It is one pass of `gsub`: a piece of the string for each
---escape would take CraftOS-PC seconds, where there are many.
local function unescape(raw, at)
    local high, high_end
    local function replace(start, letter, digits, stop)
        if letter ~= "u" then
            local character = UNESCAPES[letter] or fail(at + start - 1, "an unknown escape")
            return character .. digits
        elseif #digits < 4 then
            fail(at + start - 1, "four hexadecimal digits are expected after `\\u`")
        end
        local code = tonumber(digits, 16)
        if code >= 0xDC00 and code < 0xE000 and high and high_end == start then
            -- The first half became nothing; the second stands for both.
            code, high = 0x10000 + (high - 0xD800) * 1024 + (code - 0xDC00), nil
        elseif code >= 0xD800 and code < 0xDC00 and raw:find("^\\u[dD][c-fC-F]%x%x", stop) then
            high, high_end = code, stop
            return ""
        elseif code >= 0xD800 and code < 0xE000 then
            code = 0xFFFD
        end
        return utf8_character(code)
    end
    return (raw:gsub("()\\(.)(%x?%x?%x?%x?)()", replace))
end

---Reads a string whose opening quote stands before `at`.
local function decode_string(source, at)
    local simple, after = match(source, STRING, at)
    if simple then
        return simple, after
    end
    local stop, escaped = at, false
    while true do
        stop = find(source, '["\\%z\1-\31]', stop)
        local byte = stop and byte_at(source, stop)
        if byte == 34 then
            break
        elseif byte == 92 then
            escaped = true
            stop = stop + 2
        else
            fail(stop or #source + 1, stop and "a control character in a string" or "a string does not end")
        end
    end
    local raw = source:sub(at, stop - 1)
    return escaped and unescape(raw, at) or raw, stop + 1
end

local function decode_number(source, at)
    local whole, after = match(source, "^(-?%d+)()", at)
    if not whole or #whole > 1 and find(whole, "^-?0%d") then
        fail(at, "a value is expected")
    end
    local byte = byte_at(source, after)
    if byte ~= 46 and byte ~= 69 and byte ~= 101 then
        return tonumber(whole), after
    end
    local fraction = match(source, "^%.%d+", after) or ""
    after = after + #fraction
    local exponent = match(source, "^[eE][+-]?%d+", after) or ""
    return tonumber(whole .. fraction .. exponent), after + #exponent
end

local decode_value

local function decode_list(source, at, depth)
    local list, count = {}, 0
    local byte
    at, byte = skip_space(source, at)
    if byte == 93 then
        return list, at + 1
    end
    while true do
        count = count + 1
        list[count], at = decode_value(source, at, depth)
        at, byte = skip_space(source, at)
        if byte == 93 then
            return list, at + 1
        elseif byte ~= 44 then
            fail(at, "`,` or `]` is expected")
        end
        at = at + 1
    end
end

---Reads a key with the colon after it.
local function decode_key(source, at)
    local simple, after = match(source, KEY, at)
    if simple then
        return simple, after
    end
    local byte, key
    at, byte = skip_space(source, at)
    if byte ~= 34 then
        fail(at, "a key is expected")
    end
    key, at = decode_string(source, at + 1)
    at, byte = skip_space(source, at)
    if byte ~= 58 then
        fail(at, "`:` is expected")
    end
    return key, at + 1
end

local function decode_object(source, at, depth)
    local object = {}
    local byte, key
    at, byte = skip_space(source, at)
    if byte == 125 then
        return object, at + 1
    end
    while true do
        local name, value, separator, after = match(source, FIELD, at)
        if name then
            object[name], at = value, after
            if separator == "}" then
                return object, at
            end
        else
            key, at = decode_key(source, at)
            object[key], at = decode_value(source, at, depth)
            at, byte = skip_space(source, at)
            if byte == 125 then
                return object, at + 1
            elseif byte ~= 44 then
                fail(at, "`,` or `}` is expected")
            end
            at = at + 1
        end
    end
end

function decode_value(source, at, depth)
    if depth > MAX_DEPTH then
        fail(at, "more than " .. MAX_DEPTH .. " levels")
    end
    local byte
    at, byte = skip_space(source, at)
    if byte == 34 then
        return decode_string(source, at + 1)
    elseif byte == 123 then
        return decode_object(source, at + 1, depth + 1)
    elseif byte == 91 then
        return decode_list(source, at + 1, depth + 1)
    elseif byte and byte <= 57 then
        return decode_number(source, at)
    elseif find(source, "^true", at) then
        return true, at + 4
    elseif find(source, "^false", at) then
        return false, at + 5
    elseif find(source, "^null", at) then
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

return { decode = decode }
