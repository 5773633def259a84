-- Texts of many bytes that a reader gives without end are read until the memory is full or the time is up.
-- prints: stopped
local text = "--" .. ("x"):rep(2e6) .. "\n"
config.set("abortTimeout", 1000)
sleep(0)
local ok, fn, message = pcall(function()
    local fn, message = load(function() return text end)
    -- Memory may be full just before the time is up: then that is said here.
    sleep(0)
    return fn, message
end)
sleep(0)
message = tostring(ok and message or fn)
print((message:find("not enough memory") or message:find("Too long without yielding")) and "stopped" or message)
