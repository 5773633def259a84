-- parallel: runs functions side by side, each in a coroutine of its own that gets
-- every event.

local parallel = _ENV

--- Makes a coroutine of each argument.
local function create(...)
    local coroutines = { n = select("#", ...) }
    for index = 1, coroutines.n do
        local task = select(index, ...)
        if type(task) ~= "function" then
            error(("bad argument #%d (function expected, got %s)"):format(index, type(task)), 3)
        end
        coroutines[index] = coroutine.create(task)
    end
    return coroutines
end

--- Runs the coroutines until no more than `limit` are alive.
---@return number index of the one that ended last
local function run(coroutines, limit)
    local alive = coroutines.n
    local filters = {}
    local event = { n = 0 }

    while true do
        for index = 1, coroutines.n do
            local task = coroutines[index]
            if task then
                local filter = filters[task]
                if filter == nil or filter == event[1] or event[1] == "terminate" then
                    local ok, result = coroutine.resume(task, table.unpack(event, 1, event.n))
                    if not ok then error(result, 0) end
                    filters[task] = result
                    if coroutine.status(task) == "dead" then
                        coroutines[index] = false
                        alive = alive - 1
                        if alive <= limit then return index end
                    end
                end
            end
        end
        event = table.pack(os.pullEventRaw())
    end
end

--- Runs functions until one of them ends.
---@param ... fun()
---@return number index of the one that ended
function parallel.waitForAny(...)
    local coroutines = create(...)
    if coroutines.n == 0 then return 0 end
    return run(coroutines, coroutines.n - 1)
end

--- Runs functions until all of them have ended.
---@param ... fun()
function parallel.waitForAll(...)
    local coroutines = create(...)
    if coroutines.n == 0 then return 0 end
    return run(coroutines, 0)
end
