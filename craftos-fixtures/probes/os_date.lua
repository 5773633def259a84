-- os.date: every conversion, for a fixed time in UTC.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local time = 951827696 -- 2000-02-29 12:34:56 UTC
for code in ("aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyY%"):gmatch(".") do
    print(code, (os.date("!%" .. code, time):gsub("[\n\t]", "<blank>")))
end
print(os.date("!%Y-%m-%dT%H:%M:%SZ", 0))
print(os.date("!%d.%m.%y", 86400 * 365))
try("bad", os.date, "!%E", 0)
try("unfinished", os.date, "!%", 0)
try("type", os.date, {})
try("time", os.date, "!%c", "x")
