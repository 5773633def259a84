-- Requests that can be answered at once, and the check of those that cannot.

local frames = require("/apis/mcpcomputer/frames")
local text = require("/apis/mcpcomputer/text")

---Names the computer as the bridge does: `12 (Label: base-turtle)`.
---@param os_like table `getComputerID` and `getComputerLabel`
---@return string
local function name(os_like)
    local label = os_like.getComputerLabel()
    if type(label) ~= "string" or label == "" then
        label = "null"
    end
    return ("%.0f (Label: %s)"):format(os_like.getComputerID(), text.from_game(label))
end

---Gives the answer to `ping`.
---@param os_like table
---@return string
local function format_pong(os_like)
    return "pong from " .. name(os_like)
end

---Checks the parameters of `exec-lua`.
---@param params any
---@return table|nil params `code` and `timeout_ms`
---@return string|nil problem
local function exec_params(params)
    if type(params) ~= "table" or type(params.code) ~= "string" then
        return nil, "malformed request: `params.code` is not a string"
    end
    local timeout_ms = params.timeoutMs
    if timeout_ms ~= nil and (type(timeout_ms) ~= "number" or timeout_ms < 1) then
        return nil, "malformed request: `params.timeoutMs` is not a number from 1"
    end
    return { code = params.code, timeout_ms = timeout_ms }
end

---Answers a request, unless it is a chunk to run.
---@param request table the request frame, with an id that is a string
---@param os_like table
---@return string|nil answer the response frame
---@return table|nil params what to run
local function answer(request, os_like)
    if type(request.method) ~= "string" then
        return frames.failure(request.id, "malformed request: `method` is not a string")
    elseif request.method == "ping" then
        return frames.response(request.id, format_pong(os_like))
    elseif request.method == "exec-lua" then
        local params, problem = exec_params(request.params)
        if problem then
            return frames.failure(request.id, problem)
        end
        return nil, params
    end
    return frames.failure(request.id, "unknown method")
end

return { answer = answer, format_pong = format_pong, name = name }
