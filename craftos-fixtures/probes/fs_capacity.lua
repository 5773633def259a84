-- fs: space and capacity.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(type(fs.getFreeSpace("")), type(fs.getCapacity("")), fs.getCapacity("rom"))
print(fs.getFreeSpace("") > 0, fs.getFreeSpace("") <= fs.getCapacity("") or fs.getFreeSpace("") > 0)
try("free nil", fs.getFreeSpace)
try("capacity nil", fs.getCapacity)
try("drive nil", fs.getDrive)
try("exists nil", fs.exists)
try("isDir nil", fs.isDir)
try("isReadOnly nil", fs.isReadOnly)
try("list nil", fs.list)
try("getSize nil", fs.getSize)
try("makeDir nil", fs.makeDir)
try("move nil", fs.move, "x")
try("copy nil", fs.copy, "x")
try("delete nil", fs.delete)
