-- label: shows and changes the labels of the computer and of disks.

local program = require("cc.internal.program")(arg, shell, ...)

-- The computer is what is meant if no drive is named.
local computer = {
    title = "Computer label",
    get = os.getComputerLabel,
    set = os.setComputerLabel,
}

--- Finds the disk in a drive; says so if there is none.
local function disk_in(drive)
    local is_drive = peripheral.getType(drive) == "drive"
    if not is_drive or not disk.isPresent(drive) then
        print(is_drive and "No disk in " .. drive .. " drive" or "No disk drive named " .. drive)
        return nil
    end
    return {
        title = "Disk label",
        get = function() return disk.getLabel(drive) end,
        set = function(text) return disk.setLabel(drive, text) end,
    }
end

--- Returns what is meant by a drive's name or by none.
local function target(drive)
    if drive then return disk_in(drive) end
    return computer
end

local function quoted(text) return "\"" .. text .. "\"" end

local function show(thing)
    local label = thing.get()
    print(label and thing.title .. " is " .. quoted(label) or "No " .. thing.title)
end

local function change(thing, text)
    local ok, problem = pcall(thing.set, text)
    if not ok then return printError(problem) end
    local label = thing.get()
    print(thing.title .. (label and " set to " .. quoted(label) or " cleared"))
end

program:choose({
    get = function(_, drive, more)
        if more then return false end
        local thing = target(drive)
        if thing then show(thing) end
    end,
    set = function(_, first, second, more)
        if not first or more then return false end
        local thing = target(second and first)
        if thing then change(thing, second or first) end
    end,
    clear = function(_, drive, more)
        if more then return false end
        local thing = target(drive)
        if thing then change(thing, nil) end
    end,
}, "get", "get <drive>", "set <text>", "set <drive> <text>", "clear", "clear <drive>")
