-- dj: plays music discs.

local program = require("cc.internal.program")(arg, shell, ...)

--- Lists the drives with a music disc.
local function discs()
    local names = {}
    for _, name in ipairs(peripheral.getNames()) do
        local playable = disk.isPresent(name) and disk.hasAudio(name)
        names[#names + 1] = playable and name or nil
    end
    return names
end

local function play(_, drive)
    local names = drive and { drive } or discs()
    local chosen = names[math.random(1, math.max(#names, 1))]
    if not chosen then return print("No Music Discs in attached disk drives") end
    if not disk.hasAudio(chosen) then return print("No Music Disc in disk drive: " .. chosen) end
    print("Playing " .. disk.getAudioTitle(chosen))
    disk.playAudio(chosen)
end

program.words[1] = program.words[1] or "play"
program:choose({
    play = play,
    stop = function() disk.stopAudio() end,
}, "play", "play <drive>", "stop")
