-- fs: seek in its forms and errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local file = fs.open("probe.txt", "w")
file.write("0123456789")
file.close()
local handle = fs.open("probe.txt", "r")
print(handle.seek(), handle.seek("cur"), handle.seek("cur", 3), handle.read(1))
print(handle.seek("set"), handle.read(1), handle.seek("end"), handle.seek("end", -2), handle.read(5))
print(handle.seek("set", -1))
print(handle.seek("set", 50), handle.read(1))
try("whence", handle.seek, "middle")
try("offset", handle.seek, "set", "x")
try("whence type", handle.seek, 5)
handle.close()
try("closed", handle.seek)
fs.delete("probe.txt")
