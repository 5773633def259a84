-- cc.internal.exception: calls a function and keeps what is needed to show where it
-- failed.

local report = dofile("rom/modules/main/cc/internal/error_report.lua")

--- Calls a function in a coroutine of its own.
---@return boolean ok
---@return any ... its results, or the error and the coroutine
local function try(func, ...)
    local task = coroutine.create(func)
    local result = table.pack(coroutine.resume(task, ...))
    while coroutine.status(task) ~= "dead" do
        local event = table.pack(os.pullEventRaw(result[2]))
        if result[2] == nil or event[1] == result[2] or event[1] == "terminate" then
            result = table.pack(coroutine.resume(task, table.unpack(event, 1, event.n)))
        end
    end
    if result[1] then return table.unpack(result, 1, result.n) end
    return false, result[2], task
end

return {
    try = try,
    report = report.show_context,
}
