-- cd: changes the current folder.

local arguments = { ... }
if #arguments < 1 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <path>")
    return
end

local path = shell.resolve(arguments[1])
if fs.isDir(path) then
    shell.setDir(path)
else
    print("Not a directory")
end
