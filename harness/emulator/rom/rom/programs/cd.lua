-- cd: goes to another folder.

local program = require("cc.internal.program")(arg, shell, ...)
local folder = program:path(1)
if not folder then
    program:usage("<path>")
elseif fs.isDir(folder) then
    shell.setDir(folder)
else
    print("Not a directory")
end
