-- cc.internal.serialize: values as Lua text, for textutils.serialize.

local include = type((...)) == "function" and (...) or dofile
local keywords = include("rom/modules/main/cc/internal/keywords.lua")

--- Writes a number so that it can be read again.
local function number_text(value)
    if value ~= value then return "0/0" end
    if value == math.huge then return "1/0" end
    if value == -math.huge then return "-1/0" end
    return tostring(value)
end

local find, format, next, rawget, tostring, type = string.find, string.format, next, rawget, tostring, type

--- Which strings can stand as a key without brackets; those that were looked at are remembered while one value is written.
local function is_name(key, names)
    local known = names[key]
    if known == nil then
        known = not keywords[key] and find(key, "^[%a_][%w_]*$") ~= nil
        names[key] = known
    end
    return known
end

local write_value

--- Writes the entries of a table, the list first.
---@param tbl table
---@param state table `open` has the tables that are being written, and those that were
---@param indent string
---@param out string[]
---@param n number how many pieces there are
---@return number
local function write_table(tbl, state, indent, out, n)
    local open = state.open
    if open[tbl] ~= nil then
        if open[tbl] then error("Cannot serialize table with recursive entries", 0) end
        error("Cannot serialize table with repeated entries", 0)
    end
    open[tbl] = true

    if next(tbl) == nil then
        n = n + 1
        out[n] = "{}"
    else
        local compact, line_end, assign = state.compact, state.line_end, state.assign
        local inner = compact and "" or indent .. "  "
        n = n + 1
        out[n] = compact and "{" or "{\n"
        local count = 0
        while true do
            local value = rawget(tbl, count + 1)
            if value == nil then break end
            count = count + 1
            out[n + 1] = inner
            n = write_value(value, state, inner, out, n + 1) + 1
            out[n] = line_end
        end
        for key, value in next, tbl do
            local kind = type(key)
            if kind ~= "number" or key % 1 ~= 0 or key < 1 or key > count then
                out[n + 1] = inner
                if kind == "string" and is_name(key, state.names) then
                    n = n + 2
                    out[n] = key
                else
                    out[n + 2] = state.key_open
                    n = write_value(key, state, inner, out, n + 2) + 1
                    out[n] = state.key_close
                end
                out[n + 1] = assign
                n = write_value(value, state, inner, out, n + 1) + 1
                out[n] = line_end
            end
        end
        out[n + 1], out[n + 2] = indent, "}"
        n = n + 2
    end

    -- A table that was written stays known, unless it may come again.
    if state.allow_repetitions then open[tbl] = nil else open[tbl] = false end
    return n
end

write_value = function(value, state, indent, out, n)
    local kind = type(value)
    if kind == "table" then return write_table(value, state, indent, out, n) end
    local text
    if kind == "string" then
        text = format("%q", value)
    elseif kind == "number" then
        text = number_text(value)
    elseif kind == "boolean" or kind == "nil" then
        text = tostring(value)
    else
        error("Cannot serialize type " .. kind, 0)
    end
    out[n + 1] = text
    return n + 1
end

--- Turns a value into Lua text.
---@param value any
---@param options { compact?: boolean, allow_repetitions?: boolean }
---@return string
return function(value, options)
    local compact = options.compact
    local state = {
        open = {},
        names = {},
        compact = compact,
        allow_repetitions = options.allow_repetitions,
        line_end = compact and "," or ",\n",
        key_open = compact and "[" or "[ ",
        key_close = compact and "]" or " ]",
        assign = compact and "=" or " = ",
    }
    local out = {}
    return table.concat(out, "", 1, write_value(value, state, "", out, 0))
end
