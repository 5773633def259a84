-- HTTP and WebSockets that a test answers itself. The functions of `http` are wrapped once, so that a module which
-- keeps one of them is answered too. What no stub answers fails by name, unless the project allows the network.

local part = ...
local responses = part("responses")
local sockets = part("sockets")
local stubs = part("stubs")
local expect = require("cc.expect").expect
local plan = part("plan")

local type, error, pairs, ipairs = type, error, pairs, ipairs
local pack, unpack = table.pack, table.unpack
local queue_event, yield = os.queueEvent, coroutine.yield

local function unanswered(request)
    return ("no stub answers %s %s"):format(request.method, request.url)
end

---Reads the arguments of `http.request`, `get` and `post`, in either form.
local function read_request(default_method, has_body, url, ...)
    if type(url) == "table" then
        local options = url
        expect(1, options.url, "string")
        local method = options.method or default_method or (options.body and "POST" or "GET")
        return {
            url = options.url,
            method = method,
            body = options.body,
            headers = options.headers or {},
            binary = options.binary,
        },
            pack(options)
    end
    expect(1, url, "string")
    local body, headers, binary
    if has_body then
        body, headers, binary = ...
        expect(2, body, "string", "nil")
        expect(3, headers, "table", "nil")
        expect(4, binary, "boolean", "nil")
    else
        headers, binary = ...
        expect(2, headers, "table", "nil")
        expect(3, binary, "boolean", "nil")
    end
    local method = default_method or (body and "POST" or "GET")
    return { url = url, method = method, body = body, headers = headers or {}, binary = binary },
        pack(url, ...)
end

---Answers a request with the events that `http.request` promises.
local function send(request, answer)
    stubs.later(answer.delay, function()
        if answer.failure then
            return queue_event("http_failure", request.url, answer.failure)
        end
        local status = answer.status or 200
        local handle = responses.new(answer.body or "", status, answer.headers or {}, request.binary)
        if status >= 400 then
            return stubs.queue_with_handle(handle, 4, "http_failure", request.url, responses.reason(status))
        end
        stubs.queue_with_handle(handle, 3, "http_success", request.url)
    end)
end

local native = {}
for name, body in pairs(http or {}) do
    native[name] = body
end

---Says whether a request that no stub answers goes out: all of them, none, or those to certain hosts.
local function goes_out(url)
    if type(plan.network) ~= "table" then
        return plan.network == true
    end
    local host = url:match("^%a+://%[([^%]]*)%]") or url:match("^%a+://([^/:?#]*)") or ""
    for _, pattern in ipairs(plan.network) do
        if host:find(stubs.pattern_of(pattern)) then
            return true
        end
    end
    return false
end

---Decides who answers a request: a stub, the network, or nobody.
---@return table|nil answer none where the network is asked
local function decide(request)
    local stub = stubs.find("http", request.method, request.url)
    if stub then
        return stubs.answer_of(stub, request)
    elseif not goes_out(request.url) then
        return { failure = unanswered(request) }
    end
end

local function request(...)
    local wanted, arguments = read_request(nil, true, ...)
    local answer = decide(wanted)
    if not answer then
        return native.request(unpack(arguments, 1, arguments.n))
    end
    send(wanted, answer)
    return true
end

---Waits for the events of a request.
local function wait_for(wanted, answer)
    send(wanted, answer)
    while true do
        local event, url, first, handle = yield()
        if event == "http_success" and url == wanted.url then
            return first
        elseif event == "http_failure" and url == wanted.url then
            return nil, first, handle
        elseif event == "terminate" then
            error("Terminated", 0)
        end
    end
end

---Makes `http.get` or `http.post`: a request that waits for its answer.
local function asking(name, method, has_body)
    return function(...)
        local wanted, arguments = read_request(method, has_body, ...)
        local answer = decide(wanted)
        if not answer then
            return native[name](unpack(arguments, 1, arguments.n))
        end
        return wait_for(wanted, answer)
    end
end

---Says that a URL may be asked for, where a stub or the network would answer.
local function check(url)
    expect(1, url, "string")
    if goes_out(url) then
        return native.checkURL(url)
    elseif not url:find("^https?://[^/]") then
        return false,
            url:find("^%a+://") and "Invalid protocol '" .. url:match("^%a+") .. "'" or "URL malformed"
    end
    return true
end

local function check_async(url)
    expect(1, url, "string")
    if goes_out(url) then
        return native.checkURLAsync(url)
    end
    local ok, why = check(url)
    queue_event("http_check", url, ok, why)
    return ok, why
end

---Opens a WebSocket; gives whether the events of it will come.
local function open_socket(url, headers)
    local wanted = { url = url, headers = headers or {}, method = "WebSocket" }
    local stub = stubs.find("websocket", nil, url)
    if not stub then
        if goes_out(url) then
            return false
        end
        queue_event("websocket_failure", url, unanswered(wanted))
        return true
    end
    stub.requests[#stub.requests + 1] = wanted
    local script = stub.answer
    if type(script) == "table" and script.failure then
        stubs.later(script.delay, function()
            queue_event("websocket_failure", url, script.failure)
        end)
        return true
    end
    local handle, begin = sockets.open(url, script, function(why)
        stubs.failed(url, why)
    end)
    stubs.queue_with_handle(handle, 3, "websocket_success", url)
    begin()
    return true
end

local function socket_arguments(url, headers)
    if type(url) == "table" then
        expect(1, url.url, "string")
        return url.url, url.headers
    end
    expect(1, url, "string")
    expect(2, headers, "table", "nil")
    return url, headers
end

local function websocket_async(...)
    local url, headers = socket_arguments(...)
    if not open_socket(url, headers) then
        return native.websocketAsync(...)
    end
    return true
end

local function websocket(...)
    local url, headers = socket_arguments(...)
    if not open_socket(url, headers) then
        return native.websocket(...)
    end
    while true do
        local event, at, first = yield()
        if event == "websocket_success" and at == url then
            return first
        elseif event == "websocket_failure" and at == url then
            return false, first
        elseif event == "terminate" then
            error("Terminated", 0)
        end
    end
end

if http then
    http.request = request
    http.get, http.post = asking("get", "GET", false), asking("post", "POST", true)
    http.websocket, http.websocketAsync = websocket, websocket_async
    if plan.network ~= true then
        http.checkURL, http.checkURLAsync = check, check_async
    end
end

---Answers requests until the end of the test.
---@param what string
---@param answer table|function
local function stub_http(what, answer)
    expect(1, what, "string")
    expect(2, answer, "table", "function")
    if type(answer) == "table" then
        answer = stubs.check_answer(what, answer)
    end
    return stubs.add("http", what, answer)
end

---Plays the server of a WebSocket until the end of the test.
---@param url string
---@param script function|table a function that gets the server's end, steps in a list, or `failure`
local function stub_websocket(url, script)
    expect(1, url, "string")
    expect(2, script, "table", "function")
    return stubs.add("websocket", url, script)
end

return { http = stub_http, websocket = stub_websocket }
