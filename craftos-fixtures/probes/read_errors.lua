-- read: its arguments.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

try("mask", read, 5)
try("history", read, nil, 5)
try("complete", read, nil, nil, 5)
try("default", read, nil, nil, nil, 5)
