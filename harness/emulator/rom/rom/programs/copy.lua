-- copy: copies files and folders.

local program = require("cc.internal.program")(arg, shell, ...)
if #program.words < 2 then return program:usage("<source> <destination>") end
local sources = program:files(1)
if not sources then return end

local place = program:path(2)
local into_folder = fs.isDir(place)
for index, source in ipairs(sources) do
    if into_folder then
        fs.copy(source, fs.combine(place, fs.getName(source)))
    else
        local refusal = #sources > 1 and "Cannot overwrite file multiple times"
            or fs.exists(place) and "Destination exists"
            or fs.isReadOnly(place) and "Destination is read-only"
        if refusal then return index == 1 and printError(refusal) end
        fs.copy(source, place)
    end
end
