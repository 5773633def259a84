-- help: paths, lookup, completion.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(help.path())
print(help.lookup("help") ~= nil, help.lookup("no such topic"))
local old = help.path()
help.setPath("/nowhere:/also/nowhere")
print(help.path(), help.lookup("help"), #help.topics())
help.setPath(old)
print(#help.topics() > 5, #help.completeTopic("no such"))
try("lookup", help.lookup)
try("complete", help.completeTopic, 5)
