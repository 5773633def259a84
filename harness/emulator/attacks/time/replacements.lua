-- Replacements by a native are made until the time is up.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function() while true do ("x"):rep(5000):gsub("(.)()", string.rep) end end)
sleep(0)
print((message:gsub("^.*: ", "")))
