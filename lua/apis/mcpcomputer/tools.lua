-- Requests about tools, and the handlers that are kept here by their hashes until the program ends.

local frames = require("/apis/mcpcomputer/frames")
local new_call = require("/apis/mcpcomputer/tool_call").new

-- The answer to a call whose handler is not here. Nothing has run then; the bridge sends the handler and calls again.
local UNKNOWN_HANDLER = "unknown handler"

-- What all handlers together may hold: four of the largest. The one that was not used for longest makes room.
local KEPT_BYTES = 4 * 1024 * 1024

---@class LuaFile
---@field name string as it stands in error messages
---@field code string

---@class KeptHandler
---@field file LuaFile
---@field modules table<string, LuaFile> by the name that `require` is given
---@field bytes number
---@field used number when it was last used, as a count

---@class Handlers
---@field private kept table<string, KeptHandler>
---@field private bytes number
---@field private uses number
local Handlers = {}
Handlers.__index = Handlers

---@return Handlers
local function new_handlers()
    return setmetatable({ kept = {}, bytes = 0, uses = 0 }, Handlers)
end

---Gives a handler, if it is here.
---@param hash any
---@return KeptHandler|nil
function Handlers:get(hash)
    local handler = self.kept[hash]
    if handler then
        self.uses = self.uses + 1
        handler.used = self.uses
    end
    return handler
end

function Handlers:forget_oldest()
    local oldest
    for hash, handler in pairs(self.kept) do
        if not oldest or handler.used < self.kept[oldest].used then
            oldest = hash
        end
    end
    self.bytes = self.bytes - self.kept[oldest].bytes
    self.kept[oldest] = nil
end

---Keeps a handler.
---@param hash string
---@param file LuaFile
---@param modules table<string, LuaFile>
function Handlers:keep(hash, file, modules)
    local bytes = #file.code
    for _, module in pairs(modules) do
        bytes = bytes + #module.code
    end
    if self.kept[hash] then
        self.bytes = self.bytes - self.kept[hash].bytes
        self.kept[hash] = nil
    end
    while next(self.kept) and self.bytes + bytes > KEPT_BYTES do
        self:forget_oldest()
    end
    self.uses = self.uses + 1
    self.kept[hash] = { file = file, modules = modules, bytes = bytes, used = self.uses }
    self.bytes = self.bytes + bytes
end

local function is_file(value)
    return type(value) == "table" and type(value.name) == "string" and type(value.code) == "string"
end

---Takes in `keep-handler`.
---@return string|nil problem
local function keep(params, handlers)
    if type(params) ~= "table" or type(params.handler) ~= "string" or not is_file(params) then
        return "malformed request: `params` has no `handler`, `name` or `code`"
    end
    local modules = {}
    for name, module in pairs(type(params.modules) == "table" and params.modules or {}) do
        if type(name) ~= "string" or not is_file(module) then
            return "malformed request: `params.modules` holds what is no file"
        end
        modules[name] = { name = module.name, code = module.code }
    end
    handlers:keep(params.handler, { name = params.name, code = params.code }, modules)
    return nil
end

---Checks the parameters of `call-tool`.
---@return string|nil problem
local function wrong_call(params)
    if type(params) ~= "table" or type(params.handler) ~= "string" or type(params.method) ~= "string" then
        return "malformed request: `params` has no `handler` or `method`"
    elseif params.arguments ~= nil and type(params.arguments) ~= "table" then
        return "malformed request: `params.arguments` is no table"
    elseif params.timeoutMs ~= nil and (type(params.timeoutMs) ~= "number" or params.timeoutMs < 1) then
        return "malformed request: `params.timeoutMs` is not a number from 1"
    end
    return nil
end

---Makes a call of a tool.
---@param id string
---@param params any what `call-tool` is given
---@param handlers Handlers
---@param notify fun(frame: string)|nil sends what the tool says while it runs; without it the call is a job
---@return table|nil call
---@return string|nil problem why there is none
local function call_of(id, params, handlers, notify)
    local problem = wrong_call(params)
    if problem then
        return nil, problem
    end
    local handler = handlers:get(params.handler)
    if not handler then
        return nil, UNKNOWN_HANDLER
    end
    return new_call({
        id = id,
        handler = handler,
        method = params.method,
        arguments = params.arguments or {},
        client = type(params.client) == "table" and params.client or {},
        notify = notify,
    })
end

---Says whether a request is one of those that are answered here.
---@param request table
---@return boolean
local function is_request(request)
    return request.method == "keep-handler" or request.method == "call-tool"
end

---Answers a request about tools, unless it is a call to run.
---@param request table the request frame, with an id that is a string
---@param handlers Handlers
---@param notify fun(frame: string) sends what the tool says while it runs
---@return string|nil answer the response frame
---@return table|nil params what to run
local function request(frame, handlers, notify)
    local id, params = frame.id, frame.params
    if frame.method == "keep-handler" then
        local problem = keep(params, handlers)
        return problem and frames.failure(id, problem) or frames.response_json(id, "{}")
    end
    local call, problem = call_of(id, params, handlers, notify)
    if problem then
        return frames.failure(id, problem)
    end
    return nil, { tool = call, timeout_ms = params.timeoutMs }
end

return { new_handlers = new_handlers, is_request = is_request, request = request, call_of = call_of }
