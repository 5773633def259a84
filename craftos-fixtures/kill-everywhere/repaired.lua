-- The same deliveries. The list of what was delivered is the only note, so that nothing can disagree with it, and
-- nothing waits between opening a file and closing it.
local function count_delivered()
    if not fs.exists("delivered") then
        return 0
    end
    local count = 0
    for _ in io.lines("delivered") do
        count = count + 1
    end
    return count
end

for step = count_delivered() + 1, 10 do
    local delivered = fs.open("delivered", "a")
    delivered.writeLine(tostring(step))
    delivered.close()
    sleep(0.5)
    sleep(0.1)
end
print("delivered everything")
