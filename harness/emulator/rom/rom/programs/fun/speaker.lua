-- speaker: plays a sound file on the speakers, or stops them.

local arguments = { ... }

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usage:")
    print(name .. " play <file or url> [speaker]")
    print(name .. " sound <sound> [volume] [pitch] [speaker]")
    print(name .. " stop [speaker]")
end

--- Finds the speakers, or the one with a name.
local function speakers(name)
    if name then
        local speaker = peripheral.hasType(name, "speaker") and peripheral.wrap(name)
        if not speaker then error(("Speaker %q does not exist"):format(name), 0) end
        return { speaker }
    end
    local found = { peripheral.find("speaker") }
    if #found == 0 then error("No speakers attached", 0) end
    return found
end

local command = arguments[1]
if command == "stop" then
    for _, speaker in ipairs(speakers(arguments[2])) do speaker.stop() end
elseif command == "sound" and arguments[2] then
    local volume, pitch = tonumber(arguments[3] or 1), tonumber(arguments[4] or 1)
    if not volume or not pitch then error("Volume and pitch must be numbers", 0) end
    local speaker = speakers(arguments[5])[1]
    if speaker.playSound(arguments[2], volume, pitch) then
        print("Playing " .. arguments[2])
    else
        error("Could not play sound " .. arguments[2], 0)
    end
elseif command == "play" and arguments[2] then
    local speaker = speakers(arguments[3])[1]
    local handle, message
    if http and arguments[2]:match("^https?://") then
        print("Downloading...")
        handle, message = http.get({ url = arguments[2], binary = true })
    else
        handle, message = fs.open(shell.resolve(arguments[2]), "rb")
    end
    if not handle then
        printError("Could not play audio:")
        error(message, 0)
    end

    print("Playing " .. arguments[2])
    local decode = require("cc.audio.dfpwm").make_decoder()
    while true do
        local chunk = handle.read(16 * 1024)
        if not chunk then break end
        local buffer = decode(chunk)
        while not speaker.playAudio(buffer) do os.pullEvent("speaker_audio_empty") end
    end
    handle.close()
else
    usage()
end
