-- cc.internal.exception: runs a function in a coroutine of its own, so that it can be
-- seen afterwards where it failed.

local include = type((...)) == "function" and (...) or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

--- Takes an error that a manager of coroutines has passed on apart: its message, and the
--- coroutine in which it was raised.
local function origin_of(problem, thread)
    local meta = type(problem) == "table" and getmetatable(problem)
    local passed_on = type(meta) == "table" and meta.__name == "exception"
        and type(problem.message) == "string" and type(problem.thread) == "thread"
    if passed_on then return problem.message, problem.thread end
    return problem, thread
end

--- Goes on after a coroutine has stopped: waits for what it waits for, or ends with it.
local function continue(thread, ok, ...)
    if not ok then return false, origin_of((...), thread) end
    if coroutine.status(thread) == "dead" then return true, ... end
    return continue(thread, coroutine.resume(thread, coroutine.yield(...)))
end

--- Calls a function.
---@param func function
---@return boolean ok
---@return any ... what it returned, or the error and the coroutine where it was raised
local function try(func, ...)
    expect(1, func, "function")
    local thread = coroutine.create(func)
    return continue(thread, coroutine.resume(thread, ...))
end

--- Shows where an error came from.
---@param err any
---@param thread thread
---@param source_map table<string, string>|nil texts by the names of their chunks
local function report(err, thread, source_map)
    expect(2, thread, "thread")
    expect(3, source_map, "table", "nil")
    include("rom/modules/main/cc/internal/error_report.lua").show_context(err, thread, source_map)
end

return { try = try, report = report }
