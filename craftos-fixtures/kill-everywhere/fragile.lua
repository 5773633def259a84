-- Delivers ten items, one at a time, and notes how far it is. It does not survive a restart: killed after an item was
-- delivered and before that was noted, it delivers the item again.
local step = 1
if fs.exists("state") then
    local file = fs.open("state", "r")
    step = tonumber(file.readAll())
    file.close()
end

while step <= 10 do
    local delivered = fs.open("delivered", "a")
    delivered.writeLine(tostring(step))
    delivered.close()
    sleep(0.5)
    step = step + 1
    local file = fs.open("state", "w")
    sleep(0.1)
    file.write(tostring(step))
    file.close()
    sleep(0.1)
end
print("delivered everything")
