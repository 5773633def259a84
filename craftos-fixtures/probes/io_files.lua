-- io: opening, reading, writing, lines.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local file = io.open("probe.txt", "w")
print(io.type(file), file:write("one\n", 2, "\n", 3.5, "\n") == file)
print(file:close(), io.type(file), tostring(file))
for line in io.lines("probe.txt") do print(line) end
file = io.open("probe.txt")
print(file:read("l"), file:read("L") == "2\n", file:read("a"), file:read("a"), file:read("l"))
print(file:seek("set"), file:read(2), file:read(0), file:seek("cur"), file:seek("end"))
print(file:write("x"))
file:close()
try("closed read", file.read, file)
try("closed write", file.write, file, "x")
try("closed close", file.close, file)
print(io.open("none"))
print(io.open("rom/x", "w"))
try("mode", io.open, "probe.txt", "zz")
try("lines none", io.lines, "none")
try("read format", function() local f = io.open("probe.txt") return f:read("x") end)
try("write table", function() local f = io.open("probe.txt", "a") return f:write({}) end)
fs.delete("probe.txt")
