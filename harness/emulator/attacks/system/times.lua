-- Tables that are no dates are refused.
-- prints: alive
for _, number in ipairs({ 0 / 0, 1 / 0, -1 / 0, 1e300, -1e300, 2 ^ 31, "x", {} }) do
    for _, field in ipairs({ "year", "month", "day", "hour", "min", "sec" }) do
        local date = { year = 2000, month = 1, day = 1 }
        date[field] = number
        pcall(os.time, date)
    end
end
print("alive")
