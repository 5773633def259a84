-- Natives that run as coroutines are stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function() while true do coroutine.wrap(string.rep)("x", 2e7) end end)
sleep(0)
print((message:gsub("^.*: ", "")))
