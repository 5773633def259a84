-- A loop without end is stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function() while true do end end)
sleep(0)
print((message:gsub("^.*: ", "")))
