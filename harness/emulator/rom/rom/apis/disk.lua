-- disk: disk drives, by the side or the name that they are attached with.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local disk = _ENV

--- Makes a function that asks the drive with that name; with no drive there it
--- returns `absent`.
---@param method string
---@param absent any
local function drive_query(method, absent)
    return function(name)
        expect(1, name, "string")
        if peripheral.getType(name) ~= "drive" then return absent end
        return peripheral.call(name, method)
    end
end

--- Makes a function that tells the drive with that name to do something.
---@param method string
local function drive_command(method)
    return function(name, ...)
        expect(1, name, "string")
        if peripheral.getType(name) == "drive" then peripheral.call(name, method, ...) end
    end
end

disk.isPresent = drive_query("isDiskPresent", false)
disk.getLabel = drive_query("getDiskLabel", nil)
disk.setLabel = drive_command("setDiskLabel")
disk.hasData = drive_query("hasData", false)
disk.getMountPath = drive_query("getMountPath", nil)
disk.hasAudio = drive_query("hasAudio", false)
disk.getAudioTitle = drive_query("getAudioTitle", nil)
disk.getID = drive_query("getDiskID", nil)
disk.eject = drive_command("ejectDisk")
disk.insertDisk = drive_command("insertDisk")

disk.playAudio = drive_command("playAudio")

--- Stops the record in a drive, or all of them.
---@param name string|nil
function disk.stopAudio(name)
    if name then expect(1, name, "string") end
    local names = name and { name } or peripheral.getNames()
    for _, drive in ipairs(names) do
        if peripheral.getType(drive) == "drive" then peripheral.call(drive, "stopAudio") end
    end
end
