-- Times of any length are timers.
-- prints: alive
for _, time in ipairs({ 0 / 0, 1 / 0, -1 / 0, -1, 1e300, 2 ^ 53, 1e-300 }) do
    pcall(os.startTimer, time)
    pcall(os.cancelTimer, time)
    pcall(os.setAlarm, time)
    pcall(os.cancelAlarm, time)
end
print("alive")
