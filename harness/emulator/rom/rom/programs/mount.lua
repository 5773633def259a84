-- mount: shows the mounts and makes new ones of folders outside the computer.

local arguments = { ... }
if not mounter then
    printError("Folders cannot be mounted here")
    return
end
if #arguments == 0 then
    local mounts = mounter.list()
    local names = {}
    for name in pairs(mounts) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
        local folders = mounts[name]
        if type(folders) == "table" then folders = table.concat(folders, ", ") end
        local suffix = mounter.isReadOnly(name) and " (read-only)" or ""
        print("/" .. name .. " on " .. tostring(folders) .. suffix)
    end
    return
end
if #arguments < 2 then
    print("Usage: mount <name> <path> [readOnly]")
    return
end
local read_only = arguments[3] == "true" or arguments[3] == "readOnly" or arguments[3] == "ro"
local ok, message = pcall(mounter.mount, arguments[1], arguments[2], read_only)
if not ok then
    printError("Could not mount: " .. tostring(message))
elseif message == false then
    printError("Could not mount")
end
