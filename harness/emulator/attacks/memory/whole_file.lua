-- A file that fits into the memory when that is empty is not read where there is no room for it.
-- settings: {"memoryLimit": 134217728}
-- memory: 165 MiB
-- prints: false	not enough memory
-- prints: false	not enough memory
-- prints: false	not enough memory
local file = fs.open("/large", "w")
file.seek("set", 1e8)
file.write("x")
file.close()
local long = ("y"):rep(8e7)
for _, read in ipairs({
    function(file) return file.readAll() end,
    function(file) return file.read(1e8) end,
    function(file) return file.readLine() end,
}) do
    file = fs.open("/large", "rb")
    local ok, message = pcall(read, file)
    print(ok, (tostring(message):gsub("^.*: ", "")))
    file.close()
end
assert(#long == 8e7)
fs.delete("/large")
