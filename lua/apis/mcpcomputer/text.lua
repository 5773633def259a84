-- Text that may cross the link: a check for UTF-8, and ways to make anything into it.
-- JSON itself is in json.lua.

-- Lead bytes and what must follow them. No lead byte is a continuation byte, so that the patterns can be applied one
-- after the other, each by one pass in C.
local SEQUENCES = {
    { lead = "[\194-\223]", whole = "[\194-\223][\128-\191]" },
    { lead = "\224", whole = "\224[\160-\191][\128-\191]" },
    { lead = "[\225-\236\238\239]", whole = "[\225-\236\238\239][\128-\191][\128-\191]" },
    { lead = "\237", whole = "\237[\128-\159][\128-\191]" },
    { lead = "\240", whole = "\240[\144-\191][\128-\191][\128-\191]" },
    { lead = "[\241-\243]", whole = "[\241-\243][\128-\191][\128-\191][\128-\191]" },
    { lead = "\244", whole = "\244[\128-\143][\128-\191][\128-\191]" },
}

for _, sequence in ipairs(SEQUENCES) do
    sequence.anchored = "^" .. sequence.whole
end

local BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- Strings are joined in slices of this many bytes: `string.byte` and `string.char` put each byte on Lua's stack.
local SLICE_BYTES = 3 * 1024

---Says whether a string is valid UTF-8, without surrogates and overlong forms: anything else costs the link.
---@param value string
---@return boolean
local function is_utf8(value)
    if not value:find("[\128-\255]") then
        return true
    end
    for _, sequence in ipairs(SEQUENCES) do
        if value:find(sequence.lead) then
            value = value:gsub(sequence.whole, "?")
        end
    end
    return not value:find("[\128-\255]")
end

---Makes a run of bytes beyond ASCII valid.
local function valid_run(run)
    local pieces, at = {}, 1
    while at <= #run do
        local length
        for _, sequence in ipairs(SEQUENCES) do
            local _, last = run:find(sequence.anchored, at)
            if last then
                length = last - at + 1
                break
            end
        end
        pieces[#pieces + 1] = length and run:sub(at, at + length - 1) or ("\\%03d"):format(run:byte(at))
        at = at + (length or 1)
    end
    return table.concat(pieces)
end

---Makes a string valid UTF-8: each byte that is no text becomes an escape as Lua writes it, `\255`.
---@param value string
---@return string
local function to_utf8(value)
    if is_utf8(value) then
        return value
    end
    local known = setmetatable({}, {
        __index = function(known, run)
            local valid = valid_run(run)
            known[run] = valid
            return valid
        end,
    })
    return (value:gsub("[\128-\255]+", known))
end

---Gives a name that comes from the game itself, such as a label, as UTF-8: there such text has one byte for each
---character, in Latin-1. Emulators give UTF-8.
---@param value string
---@return string
local function from_game(value)
    if is_utf8(value) then
        return value
    end
    return (
        value:gsub("[\128-\255]", function(character)
            local byte = character:byte()
            return string.char(192 + math.floor(byte / 64), 128 + byte % 64)
        end)
    )
end

---Gives the largest length up to `most` that does not cut a UTF-8 character in two.
---@param value string
---@param most number
---@return number
local function whole_characters(value, most)
    if #value <= most then
        return #value
    end
    -- A character has at most three continuation bytes; more of them in a row are no text and may be cut anywhere.
    for length = most, math.max(most - 3, 0), -1 do
        local next_byte = value:byte(length + 1)
        if next_byte < 128 or next_byte > 191 then
            return length
        end
    end
    return most
end

---Splits off a UTF-8 character that is not complete yet at the end of a string.
---@param value string
---@return string complete
---@return string rest
local function split_incomplete(value)
    for back = 1, math.min(3, #value) do
        local byte = value:byte(-back)
        if byte >= 194 and byte <= 244 then
            local needs = byte >= 240 and 4 or byte >= 224 and 3 or 2
            if needs > back then
                return value:sub(1, -back - 1), value:sub(-back)
            end
            return value, ""
        elseif byte < 128 then
            return value, ""
        end
    end
    return value, ""
end

-- Two digits for each value of twelve bits; made when bytes are first written, as most computers never do.
local base64_pairs

local function make_base64_pairs()
    local pairs_of = {}
    for high = 1, 64 do
        for low = 1, 64 do
            pairs_of[#pairs_of + 1] = BASE64:sub(high, high) .. BASE64:sub(low, low)
        end
    end
    return pairs_of
end

---Writes some bytes; their number is a multiple of three, except at the end.
local function base64_slice(value)
    base64_pairs = base64_pairs or make_base64_pairs()
    local out, count = {}, 0
    local bytes = { value:byte(1, -1) }
    local floor = math.floor
    for at = 1, #bytes, 3 do
        local bits = bytes[at] * 65536 + (bytes[at + 1] or 0) * 256 + (bytes[at + 2] or 0)
        out[count + 1] = base64_pairs[floor(bits / 4096) + 1]
        out[count + 2] = base64_pairs[bits % 4096 + 1]
        count = count + 2
    end
    local written = table.concat(out)
    local missing = -#bytes % 3
    return written:sub(1, #written - missing) .. ("="):rep(missing)
end

---Writes bytes as base64.
---@param value string
---@return string
local function base64(value)
    local pieces = {}
    for at = 1, #value, SLICE_BYTES do
        pieces[#pieces + 1] = base64_slice(value:sub(at, at + SLICE_BYTES - 1))
    end
    return table.concat(pieces)
end

return {
    is_utf8 = is_utf8,
    to_utf8 = to_utf8,
    from_game = from_game,
    whole_characters = whole_characters,
    split_incomplete = split_incomplete,
    base64 = base64,
}
