-- Replacements and formats that wait for a function hold what they have made so far.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: not enough memory
-- prints: not enough memory
local long = ("x"):rep(1e6)
local function hoard(make)
    local kept = {}
    while true do
        local waiting = coroutine.create(make)
        local ok, message = coroutine.resume(waiting)
        if not ok then return message end
        kept[#kept + 1] = waiting
    end
end
print((hoard(function()
    (("y"):rep(2)):gsub("y", function() if long then coroutine.yield() end end)
    return (long .. "y"):gsub("y", function() coroutine.yield() end)
end):gsub("^.*: ", "")))
local object = setmetatable({}, { __tostring = function() coroutine.yield() return "" end })
print((hoard(function() return ("%s%s"):format(long, object) end):gsub("^.*: ", "")))
