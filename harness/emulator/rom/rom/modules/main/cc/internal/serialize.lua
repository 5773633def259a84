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

local serialize_value

--- Writes the entries of a table, the list first.
---@param tbl table
---@param open table<table, boolean> the tables that are being written, and those that were
---@param indent string
---@param options table
local function serialize_table(tbl, open, indent, options)
    if open[tbl] ~= nil then
        if open[tbl] then error("Cannot serialize table with recursive entries", 0) end
        error("Cannot serialize table with repeated entries", 0)
    end
    open[tbl] = true

    local text = "{}"
    if next(tbl) ~= nil then
        local compact = options.compact
        local inner = compact and "" or indent .. "  "
        local line_end = compact and "," or ",\n"
        local key_open, key_close, assign = "[ ", " ]", " = "
        if compact then key_open, key_close, assign = "[", "]", "=" end

        local parts = { compact and "{" or "{\n" }
        local listed = {}
        local index = 1
        while true do
            local value = rawget(tbl, index)
            if value == nil then break end
            listed[index] = true
            parts[#parts + 1] = inner .. serialize_value(value, open, inner, options) .. line_end
            index = index + 1
        end
        for key, value in next, tbl do
            if not listed[key] then
                local name
                if type(key) == "string" and not keywords[key] and key:match("^[%a_][%w_]*$") then
                    name = key
                else
                    name = key_open .. serialize_value(key, open, inner, options) .. key_close
                end
                parts[#parts + 1] = inner .. name .. assign .. serialize_value(value, open, inner, options) .. line_end
            end
        end
        parts[#parts + 1] = indent .. "}"
        text = table.concat(parts)
    end

    -- A table that was written stays known, unless it may come again.
    if options.allow_repetitions then open[tbl] = nil else open[tbl] = false end
    return text
end

serialize_value = function(value, open, indent, options)
    local kind = type(value)
    if kind == "table" then return serialize_table(value, open, indent, options) end
    if kind == "string" then return ("%q"):format(value) end
    if kind == "number" then return number_text(value) end
    if kind == "boolean" or kind == "nil" then return tostring(value) end
    error("Cannot serialize type " .. kind, 0)
end

--- Turns a value into Lua text.
---@param value any
---@param options { compact?: boolean, allow_repetitions?: boolean }
---@return string
return function(value, options)
    return serialize_value(value, {}, "", options)
end
