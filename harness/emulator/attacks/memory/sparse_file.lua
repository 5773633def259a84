-- A file that is larger than the memory is not read whole.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	not enough memory
-- prints: false	not enough memory
local file = fs.open("/sparse", "w")
file.seek("set", 2e9)
file.write("x")
file.close()
file = fs.open("/sparse", "r")
for _, name in ipairs({ "readAll", "readLine" }) do
    local ok, message = pcall(file[name])
    print(ok, (message:gsub("^.*: ", "")))
end
file.close()
fs.delete("/sparse")
