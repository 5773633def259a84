-- type: says whether a path is a file or a folder.

local program = require("cc.internal.program")(arg, shell, ...)
local path = program:path(1)
local kind = path and (fs.isDir(path) and "directory" or fs.exists(path) and "file" or "No such path")
if kind then print(kind) else program:usage("<path>") end
