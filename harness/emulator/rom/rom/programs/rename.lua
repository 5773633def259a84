-- rename: gives a file or a folder another name.

local arguments = { ... }
if #arguments < 2 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <source> <destination>")
    return
end

local source, destination = shell.resolve(arguments[1]), shell.resolve(arguments[2])
if not fs.exists(source) then
    printError("No matching files")
elseif fs.isDriveRoot(source) then
    printError("Can't rename mounts")
elseif fs.isReadOnly(source) then
    printError("Source is read-only")
elseif fs.exists(destination) then
    printError("Destination exists")
elseif fs.isReadOnly(destination) then
    printError("Destination is read-only")
elseif fs.isDriveRoot(destination) then
    printError("Can't move files to mounts")
elseif fs.getFreeSpace(destination) == 0 then
    printError("Out of space")
else
    fs.move(source, destination)
end
