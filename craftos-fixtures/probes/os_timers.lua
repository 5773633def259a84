-- Timers: order, cancelling, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local long = os.startTimer(0.2)
local short = os.startTimer(0.05)
print(long ~= short, type(long))
local _, first = os.pullEvent("timer")
print(first == short)
os.cancelTimer(long)
local guard = os.startTimer(0.4)
local _, next_id = os.pullEvent("timer")
print(next_id == guard)
print(select("#", os.cancelTimer(12345)))
try("text", os.startTimer, "x")
try("nil", os.startTimer)
try("cancel", os.cancelTimer, "x")
try("negative", function() return type(os.startTimer(-1)) end)
sleep(0)
print("slept")
