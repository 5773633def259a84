-- fs: what cannot be done in rom.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(fs.isReadOnly("rom"), fs.isReadOnly("rom/startup.lua"), fs.isReadOnly(""), fs.isReadOnly("none"), fs.isReadOnly("rom/none"))
print(fs.getDrive(""), fs.getDrive("rom"), fs.getDrive("rom/programs"), fs.getDrive("none"), fs.isDriveRoot("rom"), fs.isDriveRoot("rom/programs"), fs.isDriveRoot(""))
try("open", fs.open, "rom/x", "w")
try("append", fs.open, "rom/startup.lua", "a")
try("delete", fs.delete, "rom/startup.lua")
try("makeDir", fs.makeDir, "rom/x")
try("move from", fs.move, "rom/startup.lua", "x")
fs.open("probe.txt", "w").close()
try("move to", fs.move, "probe.txt", "rom/x")
try("copy to", fs.copy, "probe.txt", "rom/x")
try("delete rom", fs.delete, "rom")
fs.delete("probe.txt")
print(fs.getFreeSpace("rom"), type(fs.getFreeSpace("")))
