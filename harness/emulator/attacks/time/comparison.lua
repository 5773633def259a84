-- So are comparisons of long texts.
-- prints: Too long without yielding
local a, b = ("x"):rep(3e7) .. "a", ("x"):rep(3e7) .. "b"
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function() while true do local _ = a == b end end)
sleep(0)
print((message:gsub("^.*: ", "")))
