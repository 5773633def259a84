-- Yields in places where Lua cannot go on are errors.
-- prints: alive
local places = {
    function() table.sort({ 3, 2, 1 }, function() coroutine.yield() end) end,
    function() return setmetatable({}, { __index = function() coroutine.yield() end }).x end,
    function() return ("x"):gsub(".", function() coroutine.yield() end) end,
    function() load(function() coroutine.yield() end) end,
    function() return tostring(setmetatable({}, { __tostring = function() coroutine.yield() end })) end,
    function() for _ in function() coroutine.yield() end do end end,
    function() xpcall(error, function() coroutine.yield() end) end,
    function() debug.sethook(function() coroutine.yield() end, "l") local x = 1 end,
    function() return setmetatable({}, { __eq = coroutine.yield }) == setmetatable({}, { __eq = coroutine.yield }) end,
}
for _, place in ipairs(places) do
    local co = coroutine.create(place)
    for _ = 1, 20 do coroutine.resume(co, {}) end
end
debug.sethook()
print("alive")
