-- rednet without and with a modem, to this computer itself.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(rednet.isOpen(), rednet.isOpen("left"))
print(rednet.send(os.getComputerID(), { 1, 2 }, "proto"))
local id, message, protocol = rednet.receive("proto", 1)
print(id, type(message), message[2], protocol)
print(rednet.receive(nil, 0.05))
print(rednet.receive("other", 0.05))
print(rednet.send(12345, "x"))
print(rednet.lookup("none"))
rednet.host("proto", "name")
print(rednet.lookup("proto"), rednet.lookup("proto", "name"), rednet.lookup("proto", "localhost"))
rednet.unhost("proto")
print(rednet.lookup("proto"))
periphemu.create("left", "modem")
rednet.open("left")
print(rednet.isOpen("left"), rednet.isOpen())
rednet.close("left")
print(rednet.isOpen())
try("open", rednet.open, "right")
try("close", rednet.close, "right")
try("send", rednet.send, "x")
try("receive", rednet.receive, {})
try("host", rednet.host, "p", "localhost")
periphemu.remove("left")
