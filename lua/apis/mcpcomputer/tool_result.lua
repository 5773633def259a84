-- From what a handler returned to the result of the call, as JSON. Whether its content is sound, the bridge says.

local json = require("/apis/mcpcomputer/json")

-- What surrounds a result in its response.
local OVERHEAD = 1024

-- An error is for a person to read, or a model.
local ERROR_BYTES = 16 * 1024

local EMPTY = textutils.empty_json_array

---Writes the result of a call that failed.
---@param problem string
---@return string
local function failed(problem)
    if #problem > ERROR_BYTES then
        problem = problem:sub(1, ERROR_BYTES) .. ("[cut: %d bytes]"):format(#problem - ERROR_BYTES)
    end
    return json.encode({ content = { { type = "text", text = problem } }, isError = true })
end

---Makes a result of what was returned.
---@return table|nil result
---@return string|nil problem
local function to_result(value)
    local kind = type(value)
    if kind == "nil" then
        return { content = EMPTY }
    elseif kind == "string" or kind == "number" or kind == "boolean" then
        return { content = { { type = "text", text = tostring(value) } } }
    elseif kind ~= "table" then
        return nil, ("the handler returned a %s; it returns a text, or a table with `content`"):format(kind)
    elseif value.content == nil and value.structuredContent == nil then
        return nil, "the handler returned a table without `content` and without `structuredContent`"
    end
    return value
end

---Writes the result of a call that ended.
---@param value any what the handler returned
---@param room number bytes that the response may have
---@return string
local function returned(value, room)
    local result, problem = to_result(value)
    if not result then
        return failed(problem)
    end
    local ok, encoded = pcall(json.encode, result)
    if not ok then
        return failed("the handler's result cannot be sent: " .. tostring(encoded))
    elseif #encoded > room - OVERHEAD then
        local wording = "the handler's result has %d bytes; %d is the most"
        return failed(wording:format(#encoded, room - OVERHEAD))
    end
    return encoded
end

return { returned = returned, failed = failed }
