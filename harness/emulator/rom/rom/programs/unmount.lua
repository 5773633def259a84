-- unmount: removes a mount.

local arguments = { ... }
if not mounter then
    printError("Folders cannot be mounted here")
    return
end
if #arguments < 1 then
    print("Usage: " .. (arg[0] or "unmount") .. " <name>")
    return
end
local ok, message = pcall(mounter.unmount, arguments[1])
if not ok then
    printError("Could not unmount: " .. tostring(message))
elseif message == false then
    printError("Could not unmount")
end
