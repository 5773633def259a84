-- The two ends of a WebSocket that a test plays the server of: the program has a handle as `http.websocket` gives it,
-- the test a function or a list of steps. Both run on this computer.

local create, resume, status, yield = coroutine.create, coroutine.resume, coroutine.status, coroutine.yield
local remove, queue_event, start_timer, cancel_timer =
    table.remove, os.queueEvent, os.startTimer, os.cancelTimer
local type, error, ipairs, tostring, math_huge = type, error, ipairs, tostring, math.huge

---Turns a list of steps into a function: `{ send = text }`, `{ receive = text }`, `{ close = true }`.
local function play(steps)
    return function(server)
        for number, step in ipairs(steps) do
            if step.send ~= nil then
                server.send(step.send, step.binary)
            elseif step.receive ~= nil then
                local text = server.receive()
                if text ~= step.receive then
                    local message = "step %d wants to receive %q, and the program sent %s"
                    error(
                        message:format(number, step.receive, text == nil and "nothing" or ("%q"):format(text)),
                        0
                    )
                end
            elseif step.close then
                server.close()
            else
                error(("step %d is none of send, receive and close"):format(number), 0)
            end
        end
    end
end

---Opens both ends.
---@param url string
---@param script function|table what the server does
---@param failed function is told why the script failed
---@return table handle the program's end
---@return function begin lets the server begin, once the program's event is in the queue
local function open(url, script, failed)
    local is_open, inbox = true, {}
    local body = type(script) == "function" and script or play(script)

    local server = {}

    ---Sends a message to the program.
    function server.send(text, is_binary)
        if is_open then
            queue_event("websocket_message", url, tostring(text), is_binary == true)
        end
        return is_open
    end

    ---Waits for the program's next message; nothing when it has closed.
    function server.receive()
        while #inbox == 0 do
            if not is_open then
                return nil
            end
            yield()
        end
        local message = remove(inbox, 1)
        return message.text, message.is_binary
    end

    function server.close(reason, code)
        if is_open then
            is_open = false
            queue_event("websocket_closed", url, reason, code)
        end
    end

    local thread = create(function()
        body(server)
    end)

    local function step()
        if status(thread) == "suspended" then
            local ok, why = resume(thread)
            if not ok then
                failed(tostring(why))
            end
        end
    end

    local handle = {}

    function handle.send(text, is_binary)
        if not is_open then
            error("attempt to use a closed file", 2)
        end
        inbox[#inbox + 1] = { text = tostring(text), is_binary = is_binary == true }
        step()
    end

    function handle.receive(timeout)
        if timeout ~= nil and type(timeout) ~= "number" then
            error(("bad argument #1 (expected number, got %s)"):format(type(timeout)), 2)
        end
        local timer = timeout and timeout ~= math_huge and start_timer(timeout) or nil
        while true do
            local event, first, text, is_binary = yield()
            if event == "websocket_message" and first == url then
                if timer then
                    cancel_timer(timer)
                end
                return text, is_binary
            elseif event == "websocket_closed" and first == url then
                return nil
            elseif event == "timer" and timer and first == timer then
                return nil
            elseif event == "terminate" then
                error("Terminated", 0)
            end
        end
    end

    function handle.close()
        if not is_open then
            error("attempt to use a closed file", 2)
        end
        is_open = false
        step()
    end

    return handle, step
end

return { open = open }
