-- move: moves files and folders.

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

--- Says why a file may not be moved to a place.
---@return string|nil
local function refusal(source, target)
    if fs.isDriveRoot(source) then return "Cannot move mount /" .. source end
    if fs.isReadOnly(source) then return "Cannot move read-only file /" .. source end
    if fs.exists(target) then return "Destination exists" end
    if fs.isReadOnly(target) then return "Destination is read-only" end
    return nil
end

for _, source in ipairs(sources) do
    local target = destination
    if fs.isDir(destination) then
        target = fs.combine(destination, fs.getName(source))
    elseif #sources > 1 then
        printError("Cannot overwrite file multiple times")
        return
    end
    local problem = refusal(source, target)
    if problem then
        printError(problem)
    else
        fs.move(source, target)
    end
end
