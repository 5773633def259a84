-- mkdir: makes folders.

local program = require("cc.internal.program")(arg, shell, ...)
if not program.words[1] then program:usage("<paths>") end

for index = 1, #program.words do
    local folder = program:path(index)
    local problem
    if fs.exists(folder) and not fs.isDir(folder) then
        problem = "Destination exists"
    elseif fs.isReadOnly(folder) then
        problem = "Access denied"
    else
        fs.makeDir(folder)
    end
    if problem then printError("/" .. folder .. ": " .. problem) end
end
