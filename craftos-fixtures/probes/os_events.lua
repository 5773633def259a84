-- Queued events arrive in order, with their values copied.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

os.queueEvent("one", 1, "two", true, nil, "after nil")
print(os.pullEvent("one"))
local nested = { a = { 1, 2, 3 }, f = 5 }
os.queueEvent("two", nested)
nested.a[1] = "changed"
local _, received = os.pullEvent("two")
print(received == nested, received.a[1], received.a[3], received.f)
os.queueEvent("first")
os.queueEvent("second")
print(os.pullEvent("second"))
os.queueEvent("function", print)
local _, passed = os.pullEvent("function")
print(type(passed))
os.queueEvent("nothing")
print(select("#", os.pullEvent("nothing")))
try("no name", os.queueEvent)
try("bad name", os.queueEvent, {})
os.queueEvent("terminate")
try("terminate", os.pullEvent)
os.queueEvent("terminate")
print(os.pullEventRaw("terminate"))
