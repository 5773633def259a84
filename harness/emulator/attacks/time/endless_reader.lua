-- So is one whose pieces never end.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local fn, message = load(function() return " " end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
