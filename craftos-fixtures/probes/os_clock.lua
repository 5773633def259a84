-- os.time, day, epoch, clock: kinds and errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(type(os.time()), type(os.day()), type(os.epoch()), type(os.clock()))
local time = os.time()
print(time >= 0 and time < 24, os.day() == math.floor(os.day()))
print(os.epoch("utc") > 1.6e12, os.epoch("utc") % 1 == 0, os.epoch("local") > 1.6e12)
print(math.abs(os.epoch("utc") / 1000 - os.epoch("utc") / 1000) < 5)
print(os.time("utc") >= 0 and os.time("utc") < 24, os.day("utc") == math.floor(os.epoch("utc") / 86400000))
try("time", os.time, "nope")
try("time type", os.time, 5)
try("day", os.day, "nope")
try("epoch", os.epoch, "nope")
try("epoch type", os.epoch, {})
print("upper case", pcall(os.epoch, "UTC") == true)
