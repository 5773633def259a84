-- peripheral with nothing attached.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(#peripheral.getNames(), peripheral.isPresent("left"), peripheral.getType("left"), peripheral.getMethods("left"))
print(peripheral.wrap("left"), peripheral.find("modem"), peripheral.hasType("left", "modem"))
print(select("#", peripheral.call("left", "x")), select("#", peripheral.find("modem")))
try("isPresent", peripheral.isPresent)
try("getType", peripheral.getType)
try("getType table", peripheral.getType, {})
try("hasType", peripheral.hasType, "left")
try("call", peripheral.call, "left")
try("wrap", peripheral.wrap, 5)
try("find", peripheral.find, "modem", 5)
try("getName", peripheral.getName, {})
try("getName nil", peripheral.getName)
