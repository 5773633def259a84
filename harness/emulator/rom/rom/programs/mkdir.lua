-- mkdir: makes folders.

local arguments = { ... }
if #arguments < 1 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <paths>")
    return
end

for _, argument in ipairs(arguments) do
    local path = shell.resolve(argument)
    if fs.exists(path) and not fs.isDir(path) then
        printError(argument .. ": Destination exists")
    elseif fs.isReadOnly(path) then
        printError(argument .. ": Access denied")
    else
        fs.makeDir(path)
    end
end
