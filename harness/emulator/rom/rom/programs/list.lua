-- list: lists the files of a folder.

local program = require("cc.internal.program")(arg, shell, ...)
local folder = program:path(1) or shell.dir()
if not fs.isDir(folder) then return printError("Not a directory") end

local groups = { [true] = {}, [false] = {} }
local hidden_too = settings.get("list.show_hidden")
for _, name in pairs(fs.list(folder)) do
    local shown = hidden_too or name:byte() ~= ("."):byte()
    if shown then table.insert(groups[fs.isDir(fs.combine(folder, name))], name) end
end
for _, names in pairs(groups) do table.sort(names) end

if term.isColour() then
    textutils.pagedTabulate(colors.green, groups[true], colors.white, groups[false])
else
    textutils.pagedTabulate(colors.lightGray, groups[true], colors.white, groups[false])
end
