-- rename: gives a file or a folder another name.

local program = require("cc.internal.program")(arg, shell, ...)
local old, new = program:path(1), program:path(2)
if not new then return program:usage("<source> <destination>") end

-- Reasons not to, in the order in which they count.
local refusals = {
    { not fs.exists(old), "No matching files" },
    { fs.exists(old) and fs.isDriveRoot(old), "Can't rename mounts" },
    { fs.isReadOnly(old), "Source is read-only" },
    { fs.exists(new), "Destination exists" },
    { fs.isReadOnly(new), "Destination is read-only" },
    { fs.isDriveRoot(new), "Can't rename to mounts" },
}
for _, refusal in ipairs(refusals) do
    if refusal[1] then return printError(refusal[2]) end
end
fs.move(old, new)
