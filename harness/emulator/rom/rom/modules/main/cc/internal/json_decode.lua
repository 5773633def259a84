-- cc.internal.json_decode: JSON text as values, for textutils.unserializeJSON. Also
-- reads the style of Minecraft's NBT: bare keys, single quotes, suffixes of
-- numbers, typed arrays.

-- Letters behind a backslash, each followed by what it means.
local ESCAPES = "b\bf\fn\nr\rt\t\"\"//\\\\"
local escapes = {}
for letter, meaning in ESCAPES:gmatch("(.)(.)") do escapes[letter] = meaning end

-- A failure is a table of this kind, so that it is told from an error of the code.
local failure = {}

local function fail(position, message, ...)
    if select("#", ...) > 0 then message = message:format(...) end
    error(setmetatable({ message = ("Malformed JSON at position %d: %s"):format(position, message) }, failure), 0)
end

--- Says what stands at a position where something else was expected.
local function unexpected(text, position, wanted)
    local char = text:sub(position, position)
    if char == "" then
        fail(position, "Unexpected end of input, expected %s.", wanted)
    end
    fail(position, "Unexpected %q, expected %s.", char, wanted)
end

local function skip(text, position)
    return text:match("^[ \n\r\t]*()", position)
end

--- Reads a string; `position` is after its opening quote.
local function decode_string(text, position, quote)
    local parts = {}
    while true do
        local plain, after = text:match("^([^\"'\\%c]*)()", position)
        parts[#parts + 1] = plain
        position = after
        local char = text:sub(position, position)

        if char == "" then
            fail(position, "Unexpected end of input, expected '\"'.")
        elseif char == quote then
            return table.concat(parts), position + 1
        elseif char == "\\" then
            local kind = text:sub(position + 1, position + 1)
            if kind == "" then
                fail(position, "Unexpected end of input, expected escape sequence.")
            elseif kind == "u" then
                local digits = text:match("^%x%x%x%x", position + 2)
                if not digits then
                    fail(position, "Malformed unicode escape %q.", text:sub(position + 2, position + 5))
                end
                parts[#parts + 1] = utf8.char(tonumber(digits, 16))
                position = position + 6
            else
                local value = escapes[kind]
                if not value then fail(position + 1, "Unknown escape character %q.", kind) end
                parts[#parts + 1] = value
                position = position + 2
            end
        elseif char:find("^[%z\1-\31]") then
            fail(position + 1, "Unescaped whitespace %q.", char)
        else
            parts[#parts + 1] = char
            position = position + 1
        end
    end
end

--- Reads a number; `position` is at its first character.
local function decode_number(text, position, nbt_style)
    local _, last, digits = text:find("^(-?%d+%.?%d*[eE]?[+-]?%d*)", position)
    local value = digits and tonumber(digits)
    if not value then
        fail(position, digits and "Malformed number %q." or "Malformed number nil.", digits)
    end
    position = last + 1
    if nbt_style and text:find("^[bBsSlLfFdD]", position) then position = position + 1 end
    return value, position
end

local decode_value

local function decode_object(text, position, options)
    local object = {}
    position = skip(text, position)
    if text:sub(position, position) == "}" then return object, position + 1 end
    if position > #text then unexpected(text, position, "'}'") end

    while true do
        local key
        local char = text:sub(position, position)
        if char == "\"" or (options.nbt_style and char == "'") then
            key, position = decode_string(text, position + 1, char)
        elseif options.nbt_style and char:find("[%w_]") then
            key, position = text:match("^([%w_]+)()", position)
        else
            unexpected(text, position, "object key")
        end

        position = skip(text, position)
        if text:sub(position, position) ~= ":" then unexpected(text, position, "':'") end
        object[key], position = decode_value(text, skip(text, position + 1), options)

        position = skip(text, position)
        char = text:sub(position, position)
        if char == "}" then return object, position + 1 end
        if char ~= "," then unexpected(text, position, "',' or '}'") end
        position = skip(text, position + 1)
    end
end

local function decode_array(text, position, options)
    position = skip(text, position)
    local typed
    if options.nbt_style then
        typed = text:match("^[BILbil];()", position)
        if typed then position = skip(text, typed) end
    end
    if text:sub(position, position) == "]" then
        if typed or options.parse_empty_array == false then return {}, position + 1 end
        return options.empty_array, position + 1
    end
    if position > #text then unexpected(text, position, "']'") end

    local array, count = {}, 0
    while true do
        count = count + 1
        array[count], position = decode_value(text, position, options)
        position = skip(text, position)
        local char = text:sub(position, position)
        if char == "]" then return array, position + 1 end
        if char ~= "," then unexpected(text, position, "',' or ']'") end
        position = skip(text, position + 1)
    end
end

decode_value = function(text, position, options)
    local char = text:sub(position, position)
    if char == "" then fail(position, "Unexpected end of input.") end
    if char == "\"" or (options.nbt_style and char == "'") then return decode_string(text, position + 1, char) end
    if char == "{" then return decode_object(text, position + 1, options) end
    if char == "[" then return decode_array(text, position + 1, options) end
    if char == "-" or char:find("%d") then return decode_number(text, position, options.nbt_style) end
    if text:sub(position, position + 3) == "true" then return true, position + 4 end
    if text:sub(position, position + 4) == "false" then return false, position + 5 end
    if text:sub(position, position + 3) == "null" then
        return options.parse_null and options.null or nil, position + 4
    end
    fail(position, "Unexpected character %q.", char)
end

--- Reads a whole text.
---@param text string
---@param options table the options of unserializeJSON, with `empty_array` and `null`
---@return any value or nil
---@return string|nil message
return function(text, options)
    local _
    local ok, value, position = pcall(decode_value, text, skip(text, 1), options)
    if ok then
        position = skip(text, position)
        if position > #text then return value end
        _, value = pcall(fail, position, "Unexpected trailing character %q.", text:sub(position, position))
    end
    if getmetatable(value) == failure then return nil, value.message end
    error(value, 0)
end
