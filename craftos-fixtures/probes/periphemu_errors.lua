-- periphemu: what cannot be attached.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(periphemu.create("back", "nothing"))
print(periphemu.create("left", "modem"))
print(periphemu.create("left", "modem"))
print(periphemu.remove("left"))
print(periphemu.remove("left"))
try("nothing", periphemu.create)
try("no type", periphemu.create, "left")
try("remove", periphemu.remove)
