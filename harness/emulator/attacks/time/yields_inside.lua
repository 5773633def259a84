-- A program whose coroutines yield to each other, but never to the computer, is stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function()
    local co = coroutine.wrap(function() while true do coroutine.yield() end end)
    while true do co() end
end)
sleep(0)
print((message:gsub("^.*: ", "")))
