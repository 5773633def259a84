-- tostring of all kinds of values.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(tostring(nil), tostring(true), tostring(12), tostring("x"))
print((tostring({}):gsub("%x%x%x+", "ADDRESS")))
print((tostring(print ~= nil and string.rep):gsub("%x%x%x+", "ADDRESS")))
print((tostring(coroutine.create(function() end)):gsub("%x%x%x+", "ADDRESS")))
print(tostring(setmetatable({}, { __tostring = function() return "custom" end })))
try("not a string", tostring, setmetatable({}, { __tostring = function() return 1 end }))
try("name", tostring, setmetatable({}, { __tostring = function() error("inside", 0) end }))
try("nothing", tostring)
