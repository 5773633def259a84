-- fs: reading lines, characters, everything.

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

local file = fs.open("probe.txt", "w")
file.write("first\nsecond\r\n\nlast")
file.close()
local handle = fs.open("probe.txt", "r")
print(keys_of(handle))
while true do
    local line = handle.readLine()
    if line == nil then break end
    print(("%q"):format(line))
end
print(handle.readLine(), handle.readAll(), handle.read(), handle.read(5))
handle.close()
handle = fs.open("probe.txt", "r")
print(("%q"):format(handle.readLine(true)), ("%q"):format(handle.read(3)), ("%q"):format(handle.read()))
print(("%q"):format(handle.readAll()):gsub("\n", "n"))
print(handle.readAll())
handle.close()
handle = fs.open("probe.txt", "r")
print(#handle.read(1000), handle.read(1))
handle.close()
handle = fs.open("probe.txt", "r")
print(handle.read(0) == "", handle.seek("end"), handle.read(0))
handle.close()
try("closed", handle.read)
try("closed line", handle.readLine)
try("closed again", handle.close)
fs.delete("probe.txt")
