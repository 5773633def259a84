-- textutils: text in pages and columns, values as text, and what else is about text. The
-- larger parts are modules that are loaded when they are first used.

local include = ... or dofile
local checks = include("rom/modules/main/cc/expect.lua")
local expect, field = checks.expect, checks.field

local api = _ENV

local function part(name)
    return include("rom/modules/main/cc/internal/" .. name .. ".lua")
end

-- Text on the terminal ---------------------------------------------------

-- How many characters of slow text appear in a second.
local USUAL_RATE = 20

--- Writes text one character at a time; lines break between words.
---@param text any
---@param rate number|nil
function api.slowWrite(text, rate)
    rate = expect(2, rate, "number", "nil") or USUAL_RATE
    if rate < 0 then error("Rate must be positive", 2) end
    -- Wrapped first: `write` sees only one character at a time.
    local lines = include("rom/modules/main/cc/strings.lua").wrap(tostring(text), (term.getSize()))
    for character in table.concat(lines, "\n"):gmatch(".") do
        sleep(1 / rate)
        write(character)
    end
end

--- Writes text one character at a time and ends the line.
---@param sText any
---@param nRate number|nil
function api.slowPrint(sText, nRate)
    local slowWrite = api.slowWrite
    slowWrite(sText, nRate)
    print()
end

--- Prints text and waits for a key whenever a page is full.
---@param text any
---@param free_lines number|nil lines that may scroll away before the first stop
---@return number lines
function api.pagedPrint(text, free_lines)
    expect(2, free_lines, "number", "nil")
    local pager = part("pager")
    return pager.print(tostring(text), free_lines or 0)
end

--- Prints rows in columns; a number is the colour of those after it.
---@param ... table|number
function api.tabulate(...) return part("pager").tabulate(false, ...) end

--- Prints rows in columns, page by page.
---@param ... table|number
function api.pagedTabulate(...) return part("pager").tabulate(true, ...) end

--- Says a time of the day as a clock shows it.
---@param nTime number hours
---@param bTwentyFourHour boolean|nil
---@return string
function api.formatTime(nTime, bTwentyFourHour)
    expect(1, nTime, "number")
    expect(2, bTwentyFourHour, "boolean", "nil")
    local hour, minute = math.floor(nTime), math.floor(nTime % 1 * 60)
    local half = ""
    if not bTwentyFourHour then
        half = hour >= 12 and " PM" or " AM"
        if hour >= 13 then hour = hour - 12 end
        if hour == 0 then hour = 12 end
    end
    return ("%d:%02d"):format(hour, minute) .. half
end

-- Values as text ---------------------------------------------------------

--- Makes a table that stands for something in JSON and cannot be changed.
local function constant(name, json)
    return setmetatable({}, {
        __newindex = function() error("attempt to mutate textutils." .. name, 2) end,
        __tostring = function() return json end,
    })
end
api.empty_json_array = constant("empty_json_array", "[]")
api.json_null = constant("json_null", "null")

--- Writes a value as Lua.
---@param t any
---@param opts table|nil
---@return string
function api.serialize(t, opts)
    expect(2, opts, "table", "nil")
    local chosen = {}
    if opts then
        chosen.compact = field(opts, "compact", "boolean", "nil")
        chosen.allow_repetitions = field(opts, "allow_repetitions", "boolean", "nil")
    end
    return part("serialize")(t, chosen)
end

--- Reads a value that was written as Lua.
---@param s string
---@return any
function api.unserialize(s)
    expect(1, s, "string")
    -- With no globals: what is read can name no function.
    local chunk = load("return " .. s, "unserialize", "t", {})
    local ok, value = pcall(chunk or error)
    if not ok then value = nil end
    return value
end

--- Writes a value as JSON.
---@param t table|string|number|boolean
---@param options table|boolean|nil
---@return string
function api.serializeJSON(t, options)
    expect(1, t, "table", "string", "number", "boolean")
    expect(2, options, "table", "boolean", "nil")
    local chosen = { nbt_style = options }
    if type(options) == "table" then
        chosen.nbt_style = field(options, "nbt_style", "boolean", "nil")
        chosen.unicode_strings = field(options, "unicode_strings", "boolean", "nil")
        chosen.allow_repetitions = field(options, "allow_repetitions", "boolean", "nil")
    end
    local encode = part("json_encode")(chosen, api.empty_json_array, api.json_null)
    return encode(t)
end

--- Reads JSON.
---@param s string
---@param options table|nil
---@return any value
---@return string|nil problem
function api.unserializeJSON(s, options)
    expect(1, s, "string")
    expect(2, options, "table", "nil")
    local chosen = { empty_array = api.empty_json_array, null = api.json_null }
    if options then
        chosen.nbt_style = field(options, "nbt_style", "boolean", "nil")
        chosen.parse_null = field(options, "parse_null", "boolean", "nil")
        chosen.parse_empty_array = field(options, "parse_empty_array", "boolean", "nil")
    end
    return part("json_decode")(s, chosen)
end

-- Text for others --------------------------------------------------------

-- Bytes as a URL has them: as the characters that they are, in UTF-8. Filled as they are needed.
local percent = setmetatable({}, {
    __index = function(known, byte)
        local escaped = utf8.char(byte:byte()):gsub(".", function(unit) return ("%%%02X"):format(unit:byte()) end)
        known[byte] = escaped
        return escaped
    end,
})

--- Makes text safe for a URL or a form.
---@param str string
---@return string
function api.urlEncode(str)
    expect(1, str, "string")
    local encoded = str:gsub("\n", "\r\n"):gsub("[^%w._ -]", percent)
    return (encoded:gsub(" ", "+"))
end

--- Completes an expression of Lua.
---@param sSearchText string
---@param tSearchTable table|nil
---@return string[]
function api.complete(sSearchText, tSearchTable)
    expect(1, sSearchText, "string")
    expect(2, tSearchTable, "table", "nil")
    return part("lua_completion")(sSearchText, tSearchTable or api)
end

for american, british in pairs({
    serialize = "serialise",
    serializeJSON = "serialiseJSON",
    unserialize = "unserialise",
    unserializeJSON = "unserialiseJSON",
}) do
    api[british] = api[american]
end
