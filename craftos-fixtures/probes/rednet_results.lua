-- rednet: what each function returns.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(select("#", rednet.lookup("x", "y")), select("#", rednet.lookup("x")))
periphemu.create("top", "modem")
print(select("#", rednet.open("top")), rednet.isOpen("top"))
print(rednet.send(5, "x"), rednet.send(5, nil), select("#", rednet.broadcast("x")))
print(select("#", rednet.receive("none", 0)), select("#", rednet.unhost("a")))
try("run", rednet.run)
rednet.close()
print(rednet.isOpen())
periphemu.remove("top")
