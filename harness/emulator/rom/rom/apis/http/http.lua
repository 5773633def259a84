-- http: requests and WebSockets. The emulator answers with events; the functions
-- here wait for them.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local api = _ENV

local native = http
for name, value in pairs(native) do api[name] = value end

local supported_methods = {}
for method in ("GET POST HEAD OPTIONS PUT DELETE PATCH TRACE"):gmatch("%a+") do supported_methods[method] = true end

--- Requires a field of a request to have a type. The text is the reference's, which has no closing bracket.
local function check_key(options, key, wanted, optional)
    local value = options[key]
    local kind = type(value)
    if kind == wanted or (optional and value == nil) then return end
    error(("bad field '%s' (%s expected, got %s"):format(key, wanted, kind), 4)
end

--- Checks a request that is given as a table.
---@param options table
---@param body_type "string"|"nil" what its body must be
---@param body_optional boolean|nil
local function check_request_options(options, body_type, body_optional)
    check_key(options, "url", "string")
    check_key(options, "body", body_type, body_optional)
    check_key(options, "headers", "table", true)
    check_key(options, "method", "string", true)
    check_key(options, "redirect", "boolean", true)
    if options.method and not supported_methods[options.method] then
        error("Unsupported HTTP method", 3)
    end
end

--- Sends a request and waits for its answer.
---@param options table
---@return table|nil response, string|nil message, table|nil failing_response
local function request_and_wait(options)
    local ok, message = native.request(options)
    if not ok then return nil, message end

    local url = options.url
    while true do
        local event, event_url, first, second = os.pullEvent()
        if event == "http_success" and event_url == url then return first end
        if event == "http_failure" and event_url == url then return nil, first, second end
    end
end

--- Requests a page and waits for it.
---@param url string|table
---@param headers table|nil
---@param binary boolean|nil
function api.get(url, headers, binary)
    if type(url) == "table" then
        check_request_options(url, "nil")
        return request_and_wait(url)
    end
    expect(1, url, "string")
    expect(2, headers, "table", "nil")
    expect(3, binary, "boolean", "nil")
    return request_and_wait({ url = url, headers = headers, binary = binary })
end

--- Makes a function that sends a body with a method and waits.
---@param method string|nil nil where a body alone says POST
local function with_body(method)
    return function(url, body, headers, binary)
        if type(url) == "table" then
            check_request_options(url, "string")
            if not method then return request_and_wait(url) end
            local options = {}
            for key, value in pairs(url) do options[key] = value end
            options.method = options.method or method
            return request_and_wait(options)
        end
        expect(1, url, "string")
        expect(2, body, "string")
        expect(3, headers, "table", "nil")
        expect(4, binary, "boolean", "nil")
        return request_and_wait({ url = url, body = body, headers = headers, binary = binary, method = method })
    end
end

api.post = with_body(nil)
api.put = with_body("PUT")
api.head = with_body("HEAD")
api.delete = with_body("DELETE")
api.patch = with_body("PATCH")
api.options = with_body("OPTIONS")
api.trace = with_body("TRACE")

--- Sends a request; its answer comes as an event.
---@param url string|table
---@param body string|nil
---@param headers table|nil
---@param binary boolean|nil
function api.request(url, body, headers, binary)
    local options
    if type(url) == "table" then
        check_request_options(url, "string", true)
        options = url
    else
        expect(1, url, "string")
        expect(2, body, "string", "nil")
        expect(3, headers, "table", "nil")
        expect(4, binary, "boolean", "nil")
        options = { url = url, body = body, headers = headers, binary = binary }
    end

    local ok, message = native.request(options)
    if not ok then os.queueEvent("http_failure", options.url, message) end
    return ok, message
end

--- Asks whether a URL may be requested; the answer comes as an event.
api.checkURLAsync = native.checkURL

--- Says whether a URL may be requested.
---@param url string
---@return boolean, string|nil
function api.checkURL(url)
    expect(1, url, "string")
    local ok, message = native.checkURL(url)
    if not ok then return ok, message end
    while true do
        local _, event_url, allowed, reason = os.pullEvent("http_check")
        if event_url == url then return allowed, reason end
    end
end

--- Opens a WebSocket; the answer comes as an event.
---@param url string
---@param headers table|nil
function api.websocketAsync(url, headers)
    expect(1, url, "string")
    expect(2, headers, "table", "nil")
    local ok, message = native.websocket(url, headers)
    if not ok then os.queueEvent("websocket_failure", url, message) end
    return ok, message
end

--- Opens a WebSocket and waits for it.
---@param url string|table
---@param headers table|nil
---@return table|boolean socket or false
---@return string|nil message
function api.websocket(url, headers)
    expect(1, url, "string", "table")
    local address = url
    local ok, message
    if type(url) == "table" then
        check_key(url, "url", "string")
        check_key(url, "headers", "table", true)
        check_key(url, "timeout", "number", true)
        address = url.url
        ok, message = native.websocket(url)
    else
        expect(2, headers, "table", "nil")
        ok, message = native.websocket(url, headers)
    end
    if not ok then return ok, message end

    while true do
        local event, event_url, result = os.pullEvent()
        if event == "websocket_success" and event_url == address then return result end
        if event == "websocket_failure" and event_url == address then return false, result end
    end
end

--- Serves HTTP on a port until an event `server_stop` comes.
---@param port number
---@param callback fun(request: table, response: table)
function api.listen(port, callback)
    expect(1, port, "number")
    expect(2, callback, "function")
    native.addListener(port)
    while true do
        local event, event_port, request, response = os.pullEvent()
        if event == "server_stop" then break end
        if event == "http_request" and event_port == port then
            if callback(request, response) then break end
        end
    end
    native.removeListener(port)
end
