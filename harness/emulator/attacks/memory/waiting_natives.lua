-- What a native holds while its function waits counts: the name of a chunk, the text that has come so far, a text with
-- some of its replacements, the beginning of a formatted text.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: not enough memory
-- prints: not enough memory
-- prints: not enough memory
-- prints: not enough memory
local long = ("x"):rep(1e6)
local object = setmetatable({}, { __tostring = function() coroutine.yield() return "" end })
local function hoard(make)
    local kept = {}
    while true do
        local made, waiting = pcall(coroutine.create, make)
        if not made then return waiting end
        local ok, message = coroutine.resume(waiting)
        if not ok then return message end
        kept[#kept + 1] = waiting
    end
end
local function show(make) print((hoard(make):gsub("^.*: ", ""))) end
show(function() load(function() coroutine.yield() end, long .. math.random()) end)
show(function()
    local first = true
    load(function()
        if not first then coroutine.yield() end
        first = false
        return long
    end)
end)
show(function()
    (("y"):rep(2)):gsub("y", function() if long then coroutine.yield() end end)
    return (long .. "y"):gsub("y", function() coroutine.yield() end)
end)
show(function() return ("%s%s"):format(long, object) end)
