-- Lua values as JSON can hold them.

-- Deeper tables are shown as text: they may hold themselves.
local MOST_LEVELS = 16

local portable

local function portable_table(value, level)
    if level > MOST_LEVELS then
        return tostring(value)
    end
    local copy = {}
    -- A list from 1 on stays a list; any other table becomes an object, whose keys are texts.
    local count = 0
    for _ in pairs(value) do
        count = count + 1
    end
    local is_list = count > 0 and #value == count
    for key, entry in pairs(value) do
        copy[is_list and key or tostring(key)] = portable(entry, level + 1)
    end
    return copy
end

---Makes a copy that JSON can hold: functions and the like become texts, and so do numbers that are none.
---@param value any
---@param level number|nil
---@return any
function portable(value, level)
    local kind = type(value)
    if kind == "table" then
        return portable_table(value, level or 1)
    elseif kind == "number" and (value ~= value or value == math.huge or value == -math.huge) then
        return tostring(value)
    elseif kind == "string" or kind == "number" or kind == "boolean" then
        return value
    elseif value == nil then
        return textutils.json_null
    end
    return tostring(value)
end

---Gives a list that stays one in JSON, also when it is empty.
---@param list table
---@param count number
---@return table
local function list_of(list, count)
    if count == 0 then
        return textutils.empty_json_array
    end
    list.n = nil
    return list
end

return { portable = portable, list = list_of }
