-- A loop that counts by nothing is one without end.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function() for _ = 1, math.huge do end end)
sleep(0)
print((message:gsub("^.*: ", "")))
