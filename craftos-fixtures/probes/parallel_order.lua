-- parallel: order, filters, results, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local log = {}
parallel.waitForAll(
    function() for i = 1, 2 do log[#log + 1] = "a" .. i os.queueEvent("tick_a") os.pullEvent("tick_a") end end,
    function() for i = 1, 2 do log[#log + 1] = "b" .. i os.queueEvent("tick_b") os.pullEvent("tick_b") end end
)
print(table.concat(log, " "))
print(parallel.waitForAny(function() sleep(0.3) end, function() end))
print(parallel.waitForAny(function() sleep(0.3) end, function() os.queueEvent("x") os.pullEvent("x") end))
print(parallel.waitForAll(function() return 1 end))
try("error", parallel.waitForAny, function() error("inside", 0) end)
try("error object", function() local ok, e = pcall(parallel.waitForAll, function() error({ 1 }) end) return ok, type(e) end)
try("not a function", parallel.waitForAll, 5)
try("nil second", parallel.waitForAll, print, nil)
os.queueEvent("terminate")
try("terminate", parallel.waitForAny, function() os.pullEvent() end)
