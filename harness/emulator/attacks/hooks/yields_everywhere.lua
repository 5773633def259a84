-- A hook that yields at every instruction, line, call and return, in a coroutine that fails in the end, leaves nothing behind.
-- prints: false	true	done
-- prints: nil
local thread = coroutine.create(function()
    debug.sethook(coroutine.yield, "crl", 1)
    local t = setmetatable({}, { __index = function(_, key) return key .. "!" end })
    assert(pcall(error, t.x) == false)
    string.gsub("abc", "%w", function(c) return c:upper() end)
    table.sort({ 3, 1, 2 }, function(a, b) return a < b end)
    error("done", 0)
end)
local ok, message
local steps = 0
repeat
    ok, message = coroutine.resume(thread)
    steps = steps + 1
until coroutine.status(thread) == "dead"
print(ok, steps > 50, message)
print((debug.gethook()))
