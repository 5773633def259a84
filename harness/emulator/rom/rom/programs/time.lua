-- time: says the time of the world.

local time = os.time()
print("The time is " .. textutils.formatTime(time, false) .. " on Day " .. os.day())
