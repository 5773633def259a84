-- http: requests, WebSockets, and what may be asked for. The natives begin something and
-- answer with events; the functions here check what they are given, and most of them wait.

local include = ... or dofile
local checks = include("rom/modules/main/cc/expect.lua")
local expect, field = checks.expect, checks.field

local api = _ENV
local native = http

-- What requests may be called, as the network knows it.
local VERBS = { "GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE" }
local known_verb = {}
for _, verb in ipairs(VERBS) do known_verb[verb] = true end

-- Arguments of functions that take them one by one; by those names the natives take them.
local URL = { "url", "string" }
local BODY, MAYBE_BODY, NO_BODY = { "body", "string" }, { "body", "string", "nil" }, { "body", "nil" }
local HEADERS, BINARY = { "headers", "table", "nil" }, { "binary", "boolean", "nil" }

-- Fields of a table of options that are checked besides the URL and the body, in this order.
local OPTIONAL_FIELDS = { HEADERS, { "method", "string", "nil" }, { "redirect", "boolean", "nil" } }

--- Raises unless a field is of the one kind it may have, or missing where that is fine. The
--- place is the one that called the function of the API.
local function check_field(options, rule)
    local value = options[rule[1]]
    local kind = type(value)
    if kind == rule[2] or kind == rule[3] then return end
    -- Programs compare this text: it has no closing parenthesis.
    error(("bad field '%s' (%s expected, got %s"):format(rule[1], rule[2], kind), 4)
end

--- Checks a table of options. To be called by functions of the API themselves.
local function check_options(options, body)
    check_field(options, URL)
    check_field(options, body)
    for _, rule in ipairs(OPTIONAL_FIELDS) do check_field(options, rule) end
    local verb = options.method
    if verb and not known_verb[verb] then error("Unsupported HTTP method", 3) end
    field(options, "timeout", "number", "nil")
end

--- Waits for the event that says how something with a URL went.
---@return boolean ok
---@return any ... what the event says
local function outcome(url, good, bad)
    while true do
        local event, about, first, second = os.pullEvent()
        if about == url then
            if event == good then return true, first, second end
            if event == bad then return false, first, second end
        end
    end
end

--- Sends a request and waits for its response.
---@param options table
---@return table|nil response
---@return string|nil problem
---@return table|nil failed_response
local function exchange(options)
    local begun, problem = native.request(options)
    if not begun then return nil, problem end
    local ok, first, second = outcome(options.url, "http_success", "http_failure")
    if ok then return first end
    return nil, first, second
end

--- Makes options of arguments that were checked.
local function gather(rules, verb, ...)
    local options = { method = verb }
    for index, rule in ipairs(rules) do options[rule[1]] = (select(index, ...)) end
    return options
end

--- Makes options of a table that was checked, which stays as it is.
local function copied(given, verb)
    local options = {}
    for name, value in pairs(given) do options[name] = value end
    options.method = given.method or verb
    -- Only this one may be anything.
    options.binary = given.binary and true or false
    return options
end

--- Makes a function that waits for a response.
---@param verb string
---@param body table the rule for a body in a table of options
---@param ... table the rules for its arguments
---@return fun(...): table|nil, string|nil, table|nil
local function asking(verb, body, ...)
    local rules = { ... }
    return function(...)
        local options = ...
        if type(options) == "table" then
            check_options(options, body)
            return exchange(copied(options, verb))
        end
        for index, rule in ipairs(rules) do expect(index, (select(index, ...)), rule[2], rule[3]) end
        return exchange(gather(rules, verb, ...))
    end
end

for _, verb in ipairs(VERBS) do
    if verb == "GET" then
        api.get = asking(verb, NO_BODY, URL, HEADERS, BINARY)
    else
        api[verb:lower()] = asking(verb, BODY, URL, BODY, HEADERS, BINARY)
    end
end

local REQUEST = { URL, MAYBE_BODY, HEADERS, BINARY }

--- Sends a request, which is answered with an event.
---@param ... any a URL, a body, headers and whether the response is read as bytes; or options
---@return boolean begun
---@return string|nil problem
function api.request(...)
    local options = ...
    if type(options) == "table" then
        check_options(options, MAYBE_BODY)
        options = copied(options)
    else
        for index, rule in ipairs(REQUEST) do expect(index, (select(index, ...)), rule[2], rule[3]) end
        options = gather(REQUEST, nil, ...)
    end
    local begun, problem = native.request(options)
    if not begun then os.queueEvent("http_failure", options.url, problem) end
    return begun, problem
end

api.checkURLAsync = native.checkURL

--- Says whether a URL may be asked for.
---@param url string
---@return boolean allowed
---@return string|nil problem
function api.checkURL(url)
    expect(1, url, "string")
    local begun, problem = native.checkURL(url)
    if not begun then return false, problem end
    local _, allowed, reason = outcome(url, "http_check")
    return allowed, reason
end

--- Opens a WebSocket, which is answered with an event.
---@param url string
---@param headers table|nil
---@return boolean begun
---@return string|nil problem
function api.websocketAsync(url, headers)
    expect(1, url, "string")
    expect(2, headers, "table", "nil")
    local begun, problem = native.websocket(url, headers)
    if not begun then os.queueEvent("websocket_failure", url, problem) end
    return begun, problem
end

--- Opens a WebSocket and waits until it is open.
---@param url string|table
---@param headers table|nil
---@return table|false socket
---@return string|nil problem
function api.websocket(url, headers)
    expect(1, url, "string", "table")
    expect(2, headers, "table", "nil")
    local begun, problem = native.websocket(url, headers)
    if not begun then return false, problem end
    local address = type(url) == "table" and url.url or url
    local ok, first = outcome(address, "websocket_success", "websocket_failure")
    if ok then return first end
    return false, first
end

-- Servers, which only CraftOS-PC has -----------------------------------------

if periphemu then
    api.addListener, api.removeListener = native.addListener, native.removeListener
    api.websocketServer = native.websocketServer

    --- Answers requests to a port, until the event `server_stop`.
    ---@param port number
    ---@param callback fun(request: table, response: table)
    function api.listen(port, callback)
        expect(1, port, "number")
        expect(2, callback, "function")
        native.addListener(port)
        while true do
            local event, to, request, response = os.pullEvent()
            if event == "server_stop" then return native.removeListener(port) end
            if event == "http_request" and to == port then callback(request, response) end
        end
    end
end
