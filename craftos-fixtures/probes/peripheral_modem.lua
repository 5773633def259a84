-- A modem: methods, channels, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(periphemu.create("left", "modem"))
print(os.pullEvent("peripheral"))
print(peripheral.getType("left"))
print(peripheral.hasType("left", "modem"), peripheral.hasType("left", "drive"))
local methods = peripheral.getMethods("left")
table.sort(methods)
print(table.concat(methods, " "))
local modem = peripheral.wrap("left")
print(peripheral.getName(modem), peripheral.getType(modem))
print(modem.isOpen(5), select("#", modem.open(5)), modem.isOpen(5))
modem.close(5)
print(modem.isOpen(5))
modem.open(1)
modem.closeAll()
print(modem.isOpen(1))
try("negative", modem.open, -1)
try("large", modem.open, 65536)
try("text", modem.open, "x")
try("isOpen", modem.isOpen)
try("transmit", modem.transmit, 1)
try("no method", peripheral.call, "left", "nothing")
print(periphemu.remove("left"))
print(os.pullEvent("peripheral_detach"))
print(peripheral.isPresent("left"))
