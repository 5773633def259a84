-- JSON as the link protocol needs it. `textutils` mangles UTF-8, rounds numbers and differs between versions of the
-- game, so that frames are written here and read in json_reader.lua: UTF-8 stays raw, and every number comes back as
-- it went.

local decode = require("/apis/mcpcomputer/json_reader").decode
local text = require("/apis/mcpcomputer/text")

local find = string.find

-- Frames are a few levels deep; more is a cycle.
local MAX_DEPTH = 64

-- The whole numbers that a Lua number holds exactly lie within 2^53.
local EXACT = 2 ^ 53

-- Whole numbers below this are written alike by everything that writes numbers, and `tostring` is the quickest.
local SHORT = 2 ^ 31

-- What `textutils` has for what Lua cannot say.
local EMPTY_LIST, NULL = textutils.empty_json_array, textutils.json_null

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
for byte = 0, 31 do
    local character = string.char(byte)
    ESCAPES[character] = ESCAPES[character] or ("\\u%04x"):format(byte)
end

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
    if not find(value, '[%z\1-\31"\\\128-\255]') then
        return '"' .. value .. '"'
    end
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
    if value % 1 == 0 and value > 0 and value < SHORT then
        return tostring(value)
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
    if value == EMPTY_LIST then
        return "[]"
    elseif value == NULL then
        return "null"
    end
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

return {
    encode = encode,
    encode_string = encode_string,
    encode_number = encode_number,
    decode = decode,
    from_wire = from_wire,
}
