-- eject: ejects a disk.

local arguments = { ... }
if #arguments == 0 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <drive>")
    return
end

local drive = arguments[1]
if peripheral.getType(drive) ~= "drive" or not disk.isPresent(drive) then
    print("Nothing in " .. drive .. " drive")
    return
end
disk.eject(drive)
