-- label: shows, sets and clears the label of the computer or of a disk.

local arguments = { ... }

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usages:")
    print(name .. " get")
    print(name .. " get <drive>")
    print(name .. " set <text>")
    print(name .. " set <drive> <text>")
    print(name .. " clear")
    print(name .. " clear <drive>")
end

--- Says whether a drive has a disk with a label; if not, prints why.
local function check_disk(drive)
    if peripheral.getType(drive) ~= "drive" then
        print("No disk drive named " .. drive)
        return false
    end
    if not disk.hasData(drive) then
        print("No disk in drive " .. drive)
        return false
    end
    return true
end

local function show(kind, label)
    if label then
        print(kind .. " label is \"" .. label .. "\"")
    else
        print("No " .. kind .. " label")
    end
end

local function set_disk(drive, text)
    if not check_disk(drive) then return end
    local ok, message = pcall(disk.setLabel, drive, text)
    if not ok then
        printError(message)
        return
    end
    local label = disk.getLabel(drive)
    if label then
        print("Disk label set to \"" .. label .. "\"")
    else
        print("Disk label cleared")
    end
end

local function set_computer(text)
    os.setComputerLabel(text)
    local label = os.getComputerLabel()
    if label then
        print("Computer label set to \"" .. label .. "\"")
    else
        print("Computer label cleared")
    end
end

local command = arguments[1]
if command == "get" and #arguments == 1 then
    show("Computer", os.getComputerLabel())
elseif command == "get" and #arguments == 2 then
    if check_disk(arguments[2]) then show("Disk", disk.getLabel(arguments[2])) end
elseif command == "set" and #arguments == 2 then
    set_computer(arguments[2])
elseif command == "set" and #arguments == 3 then
    set_disk(arguments[2], arguments[3])
elseif command == "clear" and #arguments == 1 then
    set_computer(nil)
elseif command == "clear" and #arguments == 2 then
    set_disk(arguments[2], nil)
else
    usage()
end
