-- delete: deletes files and folders.

local arguments = table.pack(...)
if arguments.n < 1 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <paths>")
    return
end

for index = 1, arguments.n do
    local files = fs.find(shell.resolve(arguments[index]))
    if #files == 0 then
        printError(arguments[index] .. ": No matching files")
    end
    for _, file in ipairs(files) do
        if fs.isReadOnly(file) then
            printError("Cannot delete read-only file /" .. file)
        elseif fs.isDriveRoot(file) then
            printError("Cannot delete mount /" .. file)
            if fs.isDir(file) then
                print("To delete its contents run rm /" .. fs.combine(file, "*"))
            end
        else
            local ok, message = pcall(fs.delete, file)
            if not ok then printError((message:gsub("^pcall: ", ""))) end
        end
    end
end
