-- There is an end of timers.
-- prints: false	Too many timers
local ok, message = pcall(function() for _ = 1, 1e9 do os.startTimer(1e6) end end)
print(ok, (message:gsub("^.*: ", "")))
