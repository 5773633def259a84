-- gps.locate with no modem.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(gps.locate(0.1))
print(gps.CHANNEL_GPS)
try("timeout", gps.locate, "x")
try("debug", gps.locate, 1, 1)
