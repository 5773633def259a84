-- http: requests and WebSockets. The natives answer with events; most functions here
-- wait for the event of their address.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local native = http
local api = _ENV
for name, value in pairs(native) do api[name] = value end

-- What a table of options may have, in the order in which it is checked.
local OPTIONS = {
    { "url", "string", required = true },
    { "body", "string" },
    { "headers", "table" },
    { "method", "string" },
    { "redirect", "boolean" },
}

local supported = {}
for method in ("GET POST HEAD OPTIONS PUT DELETE PATCH TRACE"):gmatch("%a+") do supported[method] = true end

--- Checks a table of options; raises at the caller of the function that asks.
---@param options table
---@param body "nil"|"string"|nil what the body must be
---@return table checked
local function check_options(options, body)
    local checked = {}
    for name, value in pairs(options) do checked[name] = value end
    for _, option in ipairs(OPTIONS) do
        local name, wanted = option[1], option[2]
        local required = option.required
        if name == "body" and body then wanted, required = body, true end
        local kind = type(options[name])
        if kind ~= wanted and (required or kind ~= "nil") then
            error(("bad field '%s' (%s expected, got %s"):format(name, wanted, kind), 3)
        end
    end
    if options.method and not supported[options.method] then error("Unsupported HTTP method", 3) end
    checked.binary = options.binary and true
    return checked
end

--- Waits for one of several events about an address.
---@param address string
---@param outcomes table<string, fun(...): any> what to return, by the event's name
local function await(address, outcomes)
    local event
    repeat
        event = table.pack(os.pullEvent())
    until outcomes[event[1]] and event[2] == address
    return outcomes[event[1]](table.unpack(event, 3, event.n))
end

local function failed(message, response) return nil, message, response end
local function response_of(response) return response end

--- Sends a request and waits for its response.
local function fetch(request)
    local sent, problem = native.request(request)
    if not sent then return nil, problem end
    return await(request.url, { http_success = response_of, http_failure = failed })
end

--- Fetches a page.
---@param url string|table
---@param headers table|nil
---@param binary boolean|nil
function api.get(url, headers, binary)
    if type(url) == "table" then return fetch(check_options(url, "nil")) end
    expect(1, url, "string")
    expect(2, headers, "table", "nil")
    expect(3, binary, "boolean", "nil")
    return fetch({ url = url, headers = headers, binary = binary })
end

-- All other methods send something. These are their arguments, in order.
local SENT = {
    { name = "url", "string" },
    { name = "body", "string" },
    { name = "headers", "table", "nil" },
    { name = "binary", "boolean", "nil" },
}
for method in pairs(supported) do
    if method ~= "GET" then
        api[method:lower()] = function(url, body, headers, binary)
            local request = { url = url, body = body, headers = headers, binary = binary }
            if type(url) == "table" then
                request = check_options(url, "string")
            else
                for place, part in ipairs(SENT) do expect(place, request[part.name], table.unpack(part)) end
            end
            request.method = request.method or method
            return fetch(request)
        end
    end
end

--- Sends a request; an event tells how it went, also if it could not be sent.
---@param url string|table
---@param body string|nil
---@param headers table|nil
---@param binary boolean|nil
function api.request(url, body, headers, binary)
    local request
    if type(url) == "table" then
        request = check_options(url)
    else
        expect(1, url, "string")
        expect(2, body, "string", "nil")
        expect(3, headers, "table", "nil")
        request = { url = url, body = body, headers = headers, binary = expect(4, binary, "boolean", "nil") }
    end
    local sent, problem = native.request(request)
    if not sent then os.queueEvent("http_failure", request.url, problem) end
    return sent, problem
end

-- Asks without waiting for the answer.
api.checkURLAsync = native.checkURL

--- Says whether an address may be requested.
---@param url string
---@return boolean
---@return string|nil problem
function api.checkURL(url)
    expect(1, url, "string")
    local asked, problem = native.checkURL(url)
    if not asked then return asked, problem end
    return await(url, { http_check = function(allowed, why) return allowed, why end })
end

--- Opens a WebSocket; an event tells how it went.
---@param url string
---@param headers table|nil
function api.websocketAsync(url, headers)
    expect(1, url, "string")
    expect(2, headers, "table", "nil")
    local opening, problem = native.websocket(url, headers)
    if not opening then os.queueEvent("websocket_failure", url, problem) end
    return opening, problem
end

--- Opens a WebSocket and waits until it is open.
---@param url string|table
---@param headers table|nil
---@return table|false socket
---@return string|nil problem
function api.websocket(url, headers)
    expect(1, url, "string", "table")
    expect(2, headers, "table", "nil")
    local opening, problem = native.websocket(url, headers)
    if not opening then return opening, problem end
    return await(type(url) == "table" and url.url or url, {
        websocket_success = response_of,
        websocket_failure = function(message) return false, message end,
    })
end

--- Answers requests of others, where the emulator allows it.
---@param port number
---@param callback fun(request: table, response: table)
function api.listen(port, callback)
    expect(1, port, "number")
    expect(2, callback, "function")
    native.addListener(port)
    while true do
        local event, at, request, response = os.pullEvent()
        if event == "server_stop" then break end
        if event == "http_request" and at == port then callback(request, response) end
    end
    native.removeListener(port)
end
