-- The order of two long texts is found by looking through them, which counts.
-- prints: Too long without yielding
-- prints: soon
local a, b = ("x"):rep(1e8) .. "a", ("x"):rep(1e8)
config.set("abortTimeout", 1000)
sleep(0)
local began = os.epoch("utc")
local ok, message = pcall(function() while true do local _ = a < b end end)
local took = os.epoch("utc") - began
sleep(0)
print((message:gsub("^.*: ", "")))
print(took < 20000 and "soon" or took)
