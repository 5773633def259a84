-- delete: deletes files and folders.

local program = require("cc.internal.program")(arg, shell, ...)
if not program.words[1] then program:usage("<paths>") end

--- Deletes a file, or says why that is not done.
local function delete(file)
    local path = "/" .. file
    if fs.isReadOnly(file) then return printError("Cannot delete read-only file " .. path) end
    if not fs.isDriveRoot(file) then return fs.delete(file) end
    printError("Cannot delete mount " .. path)
    if fs.isDir(file) then print("To delete its contents run rm " .. path:gsub("/?$", "/*", 1)) end
end

for index, word in ipairs(program.words) do
    local files = fs.find(program:path(index))
    if #files == 0 then printError(word .. ": No matching files") end
    for _, file in ipairs(files) do delete(file) end
end
