-- A program cannot do away with the watch that ends what does not yield.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function()
    debug.sethook()
    debug.sethook(function() end, "", 2 ^ 53)
    debug.sethook(nil, "c", 1)
    debug.sethook()
    while true do end
end)
sleep(0)
print((message:gsub("^.*: ", "")))
