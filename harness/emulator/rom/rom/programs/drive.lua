-- drive: says which drive a path is on and how much room is left there.

local arguments = { ... }
local path = shell.dir()
if arguments[1] ~= nil then path = shell.resolve(arguments[1]) end

if not fs.exists(path) then
    print("No such path")
    return
end

write(fs.getDrive(path) .. " (")
local space = fs.getFreeSpace(path)
if space == "unlimited" then
    print("unlimited space remaining)")
elseif space >= 1000 * 1000 then
    print(math.floor(space / (100 * 1000)) / 10 .. "MB remaining)")
elseif space >= 1000 then
    print(math.floor(space / 100) / 10 .. "KB remaining)")
else
    print(space .. "B remaining)")
end
