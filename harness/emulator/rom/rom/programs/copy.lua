-- copy: copies files and folders.

local arguments = { ... }
if #arguments < 2 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <source> <destination>")
    return
end

local destination = shell.resolve(arguments[2])
local sources = fs.find(shell.resolve(arguments[1]))
if #sources == 0 then
    printError("No matching files")
    return
end

for _, source in ipairs(sources) do
    if fs.isDir(destination) then
        fs.copy(source, fs.combine(destination, fs.getName(source)))
    elseif #sources > 1 then
        printError("Cannot overwrite file multiple times")
        return
    elseif fs.exists(destination) then
        printError("Destination exists")
        return
    elseif fs.isReadOnly(destination) then
        printError("Destination is read-only")
        return
    elseif fs.getFreeSpace(destination) < fs.getSize(source) then
        printError("Not enough space")
        return
    else
        fs.copy(source, destination)
    end
end
