-- type: says whether a path is a file or a folder.

local arguments = { ... }
if #arguments < 1 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <path>")
    return
end

local path = shell.resolve(arguments[1])
if fs.isDir(path) then
    print("directory")
elseif fs.exists(path) then
    print("file")
else
    print("No such path")
end
