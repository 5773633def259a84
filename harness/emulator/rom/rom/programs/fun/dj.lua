-- dj: plays the records in the disk drives.

local arguments = { ... }

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usages:")
    print(name .. " play")
    print(name .. " play <drive>")
    print(name .. " stop")
end

if #arguments > 2 then
    usage()
    return
end

local command = arguments[1]
if command == "stop" then
    disk.stopAudio()
elseif command == "play" or command == nil then
    local drive = arguments[2]
    if not drive then
        local drives = {}
        for _, name in ipairs(peripheral.getNames()) do
            if disk.isPresent(name) and disk.hasAudio(name) then drives[#drives + 1] = name end
        end
        if #drives == 0 then
            print("No Music Discs in attached disk drives")
            return
        end
        drive = drives[math.random(#drives)]
    end
    if not disk.hasAudio(drive) then
        print("No Music Disc in disk drive: " .. drive)
        return
    end
    print("Playing " .. (disk.getAudioTitle(drive) or "music"))
    disk.playAudio(drive)
else
    usage()
end
