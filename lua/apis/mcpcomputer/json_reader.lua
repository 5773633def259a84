-- Reads JSON, exactly and without throwing. Writing it is json.lua, which gives this away as `decode`.

-- Frames are a few levels deep; a stranger's text must not overflow the stack.
local MAX_DEPTH = 64

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

local function skip_space(source, at)
    return source:find("[^ \t\r\n]", at) or #source + 1
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
    local stop, escaped = at, false
    while true do
        stop = source:find('["\\%z\1-\31]', stop)
        local byte = stop and source:byte(stop)
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

return { decode = decode }
