-- list: shows what is in a folder.

local arguments = { ... }
local folder = shell.dir()
if arguments[1] ~= nil then folder = shell.resolve(arguments[1]) end

if not fs.isDir(folder) then
    printError("Not a directory")
    return
end

local show_hidden = settings.get("list.show_hidden")
local folders, files = {}, {}
for _, name in ipairs(fs.list(folder)) do
    if show_hidden or name:sub(1, 1) ~= "." then
        if fs.isDir(fs.combine(folder, name)) then
            folders[#folders + 1] = name
        else
            files[#files + 1] = name
        end
    end
end
table.sort(folders)
table.sort(files)

if term.isColour() then
    textutils.pagedTabulate(colors.green, folders, colors.white, files)
else
    textutils.pagedTabulate(colors.lightGray, folders, colors.white, files)
end
