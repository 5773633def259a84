-- textutils: formats, pages and tabulates text, and turns values into text and back.
-- The serializers stand in modules of their own that are loaded at their first use.

local include = ... or dofile
local expect_module = include("rom/modules/main/cc/expect.lua")
local expect, field = expect_module.expect, expect_module.field

local textutils = _ENV

local internal = "rom/modules/main/cc/internal/"

--- Writes text slowly, a character at a time.
---@param text string
---@param rate number|nil characters for each second
function textutils.slowWrite(text, rate)
    expect(2, rate, "number", "nil")
    rate = rate or 20
    if rate < 0 then error("Rate must be positive", 2) end
    local pause = 1 / rate

    -- The text is wrapped as a whole, so that a word does not jump to the next line halfway.
    local width = term.getSize()
    local x = term.getCursorPos()
    local wrapped = include("rom/modules/main/cc/strings.lua").wrap((" "):rep(x - 1) .. tostring(text), width)
    wrapped = table.concat(wrapped, "\n"):sub(x)

    for index = 1, #wrapped do
        sleep(pause)
        write(wrapped:sub(index, index))
    end
end

--- Writes text slowly and ends the line.
---@param text string
---@param rate number|nil
function textutils.slowPrint(text, rate)
    textutils.slowWrite(text, rate)
    print()
end

--- Writes a time of the day.
---@param time number hours since midnight
---@param twenty_four_hour boolean|nil
---@return string
function textutils.formatTime(time, twenty_four_hour)
    expect(1, time, "number")
    expect(2, twenty_four_hour, "boolean", "nil")

    local hour = math.floor(time)
    local minute = math.floor((time - hour) * 60)
    if twenty_four_hour then return ("%d:%02d"):format(hour, minute) end

    local half = hour >= 12 and "PM" or "AM"
    if hour == 0 then
        hour = 12
    elseif hour > 12 then
        hour = hour - 12
    end
    return ("%d:%02d %s"):format(hour, minute, half)
end

--- Prints text and waits for a key at the end of each page.
---@param text string
---@param free_lines number|nil lines that may scroll before the first wait
---@return number lines
function textutils.pagedPrint(text, free_lines)
    expect(2, free_lines, "number", "nil")
    return include(internal .. "pager.lua").print(tostring(text), free_lines or 0)
end

--- Prints rows as a table. A number is the colour of the rows after it.
---@param ... table|number
function textutils.tabulate(...)
    return include(internal .. "pager.lua").tabulate(false, ...)
end

--- Prints rows as a table, page by page.
---@param ... table|number
function textutils.pagedTabulate(...)
    return include(internal .. "pager.lua").tabulate(true, ...)
end

-- Values that Lua has no own form of -------------------------------------

--- Makes a table that cannot be changed and shows as `text`.
local function constant(name, text)
    return setmetatable({}, {
        __newindex = function() error("attempt to mutate textutils." .. name, 2) end,
        __tostring = function() return text end,
    })
end

textutils.empty_json_array = constant("empty_json_array", "[]")
textutils.json_null = constant("json_null", "null")

local empty_json_array, json_null = textutils.empty_json_array, textutils.json_null

--- Turns a value into Lua text.
---@param t any
---@param opts { compact?: boolean, allow_repetitions?: boolean }|nil
---@return string
function textutils.serialize(t, opts)
    expect(2, opts, "table", "nil")
    if opts then
        field(opts, "compact", "boolean", "nil")
        field(opts, "allow_repetitions", "boolean", "nil")
    end
    return include(internal .. "serialize.lua")(t, opts or {})
end

textutils.serialise = textutils.serialize

--- Reads Lua text.
---@param s string
---@return any
function textutils.unserialize(s)
    expect(1, s, "string")
    local chunk = load("return " .. s, "unserialize", "t", {})
    if not chunk then return nil end
    local ok, value = pcall(chunk)
    if ok then return value end
    return nil
end

textutils.unserialise = textutils.unserialize

--- Turns a value into JSON.
---@param t any
---@param options table|boolean|nil a boolean is the option nbt_style
---@return string
function textutils.serializeJSON(t, options)
    expect(1, t, "table", "string", "number", "boolean")
    expect(2, options, "table", "boolean", "nil")
    if type(options) == "table" then
        field(options, "nbt_style", "boolean", "nil")
        field(options, "unicode_strings", "boolean", "nil")
        field(options, "allow_repetitions", "boolean", "nil")
    else
        options = { nbt_style = options or false }
    end
    return include(internal .. "json_encode.lua")(options, empty_json_array, json_null)(t)
end

textutils.serialiseJSON = textutils.serializeJSON

--- Reads JSON.
---@param s string
---@param options { nbt_style?: boolean, parse_null?: boolean, parse_empty_array?: boolean }|nil
---@return any value or nil
---@return string|nil message
function textutils.unserializeJSON(s, options)
    expect(1, s, "string")
    expect(2, options, "table", "nil")
    local decode_options = { empty_array = empty_json_array, null = json_null }
    if options then
        decode_options.nbt_style = field(options, "nbt_style", "boolean", "nil")
        decode_options.parse_null = field(options, "parse_null", "boolean", "nil")
        decode_options.parse_empty_array = field(options, "parse_empty_array", "boolean", "nil")
    end
    return include(internal .. "json_decode.lua")(s, decode_options)
end

textutils.unserialiseJSON = textutils.unserializeJSON

--- Makes text fit for a URL.
---@param str string
---@return string
function textutils.urlEncode(str)
    expect(1, str, "string")
    str = str:gsub("\n", "\r\n")
    str = str:gsub("[^%w%-%._ ]", function(char)
        -- Characters are Latin-1, URLs are UTF-8.
        local bytes = utf8.char(char:byte())
        return (bytes:gsub(".", function(byte) return ("%%%02X"):format(byte:byte()) end))
    end)
    return (str:gsub(" ", "+"))
end

--- Completes a Lua expression such as `text.fo`.
---@param text string
---@param env table|nil where its first name is looked up
---@return string[] endings
function textutils.complete(text, env)
    expect(1, text, "string")
    expect(2, env, "table", "nil")
    return include(internal .. "lua_completion.lua")(text, env or _G)
end
