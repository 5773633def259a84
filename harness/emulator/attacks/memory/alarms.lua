-- There is an end of alarms, and where that is there is one of timers too.
-- prints: false	Too many timers
-- prints: false	Too many timers
for _, start in ipairs({ os.setAlarm, os.startTimer }) do
    local ok, message = pcall(function()
        for i = 1, 1e6 do start(i % 24) end
    end)
    print(ok, (message:gsub("^.*: ", "")))
end
