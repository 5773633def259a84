-- fs.attributes and sizes.

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
file.write("12345")
file.close()
local attributes = fs.attributes("probe.txt")
print(keys_of(attributes))
print(attributes.size, attributes.isDir, attributes.isReadOnly, type(attributes.created), type(attributes.modified))
print(attributes.modified > 1.6e12, attributes.modified % 1 == 0)
local folder = fs.attributes("rom")
print(folder.isDir, folder.isReadOnly, folder.size)
print(fs.getSize("probe.txt"), fs.getSize("rom"))
try("none", fs.attributes, "none")
try("size none", fs.getSize, "none")
try("nil", fs.attributes)
fs.delete("probe.txt")
