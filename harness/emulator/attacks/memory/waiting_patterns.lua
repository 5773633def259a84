-- Coroutines that wait in a replacement hold what was read of their pattern: that counts.
-- settings: {"memoryLimit": 33554432}
-- memory: 70 MiB
-- prints: not enough memory
local pattern, text = ("a"):rep(1000), ("a"):rep(1000)
local kept = {}
local ok, message = pcall(function()
    while true do
        local co = coroutine.create(function() text:gsub(pattern, function() coroutine.yield() end) end)
        local ok, message = coroutine.resume(co)
        if not ok then error(message, 0) end
        kept[#kept + 1] = co
    end
end)
kept = nil
print((tostring(message):gsub("^.*: ", "")))
