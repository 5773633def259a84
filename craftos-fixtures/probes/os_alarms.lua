-- Alarms: errors and cancelling.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(type(os.setAlarm((os.time() + 12) % 24)))
try("range", os.setAlarm, 24)
try("negative", os.setAlarm, -1)
try("text", os.setAlarm, "x")
try("nil", os.setAlarm)
print(select("#", os.cancelAlarm(99999)))
try("cancel", os.cancelAlarm, "x")
