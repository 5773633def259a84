-- A hook that does not end is stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local co = coroutine.create(function()
    debug.sethook(function() while true do end end, "l")
    local a = 1
end)
local ok, message = coroutine.resume(co)
sleep(0)
print((message:gsub("^.*: ", "")))
