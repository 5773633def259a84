-- fs: writing, appending, updating.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

--- Lists the keys of a table in order.
local function keys_of(tbl)
    local names = {}
    for name in pairs(tbl) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return table.concat(names, " ")
end

local function content(path)
    local handle = fs.open(path, "rb")
    local text = handle.readAll() or ""
    handle.close()
    return (("%q"):format(text):gsub("\\\n", "\\n"))
end
local file = fs.open("probe.txt", "w")
print(keys_of(file))
file.write("a")
file.writeLine("b")
file.write(5)
file.write(1.5)
try("true", file.writeLine, true)
file.flush()
print(content("probe.txt"))
file.close()
try("closed", file.write, "x")
file = fs.open("probe.txt", "a")
file.write("appended")
file.close()
print(content("probe.txt"))
file = fs.open("probe.txt", "w")
file.close()
print(content("probe.txt"), fs.getSize("probe.txt"))
file = fs.open("probe.txt", "w")
file.write("0123456789")
file.seek("set", 3)
file.write("xyz")
print(file.seek("cur"), file.seek("end"), file.seek("set", 100))
file.close()
print(content("probe.txt"), fs.getSize("probe.txt"))
file = fs.open("probe.txt", "r+")
print(keys_of(file))
print(file.read(2))
file.write("UP")
file.seek("set", 0)
print(file.readAll())
file.close()
file = fs.open("probe.txt", "w+")
file.write("new")
file.seek("set")
print(file.readAll())
file.close()
try("nil", function() local f = fs.open("probe.txt", "w") local ok, e = pcall(f.write) f.close() return ok, e end)
fs.delete("probe.txt")
