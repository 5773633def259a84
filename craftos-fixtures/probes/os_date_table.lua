-- os.date("*t") and os.time with tables.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

--- Lists the keys of a table in order.
local function keys_of(tbl)
    local names = {}
    for name in pairs(tbl) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return table.concat(names, " ")
end

local t = os.date("!*t", 951827696)
print(keys_of(t))
print(t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday, t.isdst)
local base = { year = 2001, month = 2, day = 3, hour = 4, min = 5, sec = 6 }
local time = os.time(base)
local back = os.date("*t", time)
print(back.year, back.month, back.day, back.hour, back.min, back.sec)
print(os.time({ year = 2001, month = 2, day = 4, hour = 4, min = 5, sec = 6 }) - time)
print(os.time({ year = 2001, month = 14, day = 3 }) - os.time({ year = 2002, month = 2, day = 3 }))
print(os.time({ year = 2001, month = 1, day = 32 }) - os.time({ year = 2001, month = 2, day = 1 }))
try("no day", os.time, { year = 2001, month = 1 })
try("no month", os.time, { year = 2001, day = 1 })
try("no year", os.time, { month = 1, day = 1 })
try("text field", os.time, { year = "x", month = 1, day = 1 })
