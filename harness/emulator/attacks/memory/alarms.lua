-- There is an end of alarms, also of those among timers.
-- prints: false	Too many timers
local ok, message = pcall(function()
    for i = 1, 1e9 do
        os.setAlarm(i % 24)
        os.startTimer(1e6)
    end
end)
print(ok, (message:gsub("^.*: ", "")))
