-- What a test answers itself: its stubs, the handles that are on their way to programs, and answers that come later.

local part = ...
local failures = part("failures")

local type, pcall, tostring, ipairs, pairs, max = type, pcall, tostring, ipairs, pairs, math.max
local pack, unpack, insert = table.pack, table.unpack, table.insert
local queue_event, start_timer = os.queueEvent, os.startTimer
local open_file = fs.open

-- What an event is called while its handle is kept here.
local HANDLE_EVENT = "craftos_test_handle"

local METHODS = {
    GET = true,
    POST = true,
    HEAD = true,
    OPTIONS = true,
    PUT = true,
    DELETE = true,
    PATCH = true,
    TRACE = true,
}

-- The stubs of the test that runs, the newest first: a test can replace one of its group.
local stubs = {}
-- What a stub's own function threw: the test fails with it.
local problem
-- What is called when a stub fails, where somebody wants to know at once.
local tell_failure
-- Answers that come later, by their timers.
local delayed = {}
-- Handles that are in the queue: an event holds no functions, so it has a number in the place of its handle.
local on_their_way = {}

---Turns `https://example.com/*` into a Lua pattern: a star is any text.
local function pattern_of(text)
    local escaped = text:gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", ".*")
    return "^" .. escaped .. "$"
end

---Adds a stub.
---@param kind string
---@param what string a URL with stars, and the method before it where that matters: `POST https://…`
local function add(kind, what, answer)
    local method, url = what:match("^(%u+) (.+)$")
    if method and not METHODS[method] then
        failures.fail(("http: there is no method %s"):format(method))
    end
    local stub = {
        kind = kind,
        method = method,
        pattern = pattern_of(url or what),
        answer = answer,
        requests = {},
    }
    insert(stubs, 1, stub)
    return stub
end

local function find(kind, method, url)
    for _, stub in ipairs(stubs) do
        if stub.kind == kind and (not stub.method or stub.method == method) and url:find(stub.pattern) then
            return stub
        end
    end
end

---Does something at once, or after a delay. Timers belong to this computer; what is done, its programs see as events.
local function later(seconds, action)
    if seconds and seconds > 0 then
        delayed[start_timer(seconds)] = action
    else
        action()
    end
end

---Queues an event that has a handle.
---@param place number where the handle goes
local function queue_with_handle(handle, place, ...)
    on_their_way[#on_their_way + 1] = { handle = handle, place = place }
    queue_event(HANDLE_EVENT, #on_their_way, ...)
end

---Takes an event before the test gets it: puts the handle into those that have one, and does what was delayed.
---@param event table
---@return table|nil event nothing where it was this module's own
local function arrive(event)
    if event[1] == HANDLE_EVENT then
        local sent = on_their_way[event[2]]
        if not sent then
            -- A test before this one has left it.
            return nil
        end
        local translated = pack(unpack(event, 3, event.n))
        translated[sent.place] = sent.handle
        translated.n = max(translated.n, sent.place)
        return translated
    elseif event[1] == "timer" and delayed[event[2]] then
        local action = delayed[event[2]]
        delayed[event[2]] = nil
        action()
        return nil
    end
    return event
end

local ANSWER_KEYS = { status = true, headers = true, body = true, file = true, delay = true, failure = true }

local function check_answer(what, answer)
    for key in pairs(answer) do
        if not ANSWER_KEYS[key] then
            failures.fail(
                ("http: the answer of %s has no `%s`\nhint: status, headers, body, file, delay, failure"):format(
                    what,
                    tostring(key)
                )
            )
        end
    end
    if answer.file then
        local file = open_file(answer.file, "rb")
        if not file then
            failures.fail(("http: the answer of %s: there is no file %s"):format(what, answer.file))
        end
        local body = file.readAll() or ""
        file.close()
        return { status = answer.status, headers = answer.headers, body = body, delay = answer.delay }
    end
    return answer
end

---Gives what a stub answers to a request.
local function answer_of(stub, request)
    stub.requests[#stub.requests + 1] = request
    if type(stub.answer) ~= "function" then
        return stub.answer
    end
    local ok, result = pcall(stub.answer, request)
    if ok and type(result) == "table" then
        return check_answer(request.url, result)
    end
    problem = problem
        or ("the stub of %s failed: %s"):format(
            request.url,
            ok and "it returned no table" or tostring(result)
        )
    return { failure = problem }
end

---Notes that a stub failed: the test does.
local function failed(url, why)
    problem = problem or ("the stub of %s failed: %s"):format(url, why)
    if tell_failure then
        tell_failure()
    end
end

---Says what is to be done at once when a stub fails.
local function on_failure(tell)
    tell_failure = tell
end

---Gives what a stub threw, once.
local function take_problem()
    local found = problem
    problem = nil
    return found
end

---Forgets the stubs of a test; gives what one of them threw.
local function reset()
    local found = problem
    stubs, delayed, on_their_way, problem = {}, {}, {}, nil
    return found
end

return {
    add = add,
    find = find,
    later = later,
    queue_with_handle = queue_with_handle,
    arrive = arrive,
    check_answer = check_answer,
    answer_of = answer_of,
    failed = failed,
    on_failure = on_failure,
    take_problem = take_problem,
    pattern_of = pattern_of,
    reset = reset,
}
