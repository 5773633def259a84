-- Texts of many bytes that a reader gives without end are compiled until the time is up.
-- prints: Too long without yielding
local text = "--" .. ("x"):rep(2e7) .. "\n"
config.set("abortTimeout", 1000)
sleep(0)
local fn, message = load(function() return text end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
