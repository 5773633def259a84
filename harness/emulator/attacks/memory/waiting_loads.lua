-- What a native holds while its function waits counts: here the name of a chunk, and the text that has come so far.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: not enough memory
-- prints: not enough memory
local name = ("x"):rep(1e6)
local function hoard(make)
    local kept = {}
    while true do
        local waiting = coroutine.create(make)
        local ok, message = coroutine.resume(waiting)
        if not ok then return message end
        kept[#kept + 1] = waiting
    end
end
print((hoard(function() load(function() coroutine.yield() end, name .. math.random()) end):gsub("^.*: ", "")))
print((hoard(function()
    local first = true
    load(function()
        if not first then coroutine.yield() end
        first = false
        return name
    end)
end):gsub("^.*: ", "")))
