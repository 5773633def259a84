-- id: says the number of the computer or of a disk.

local where = ...
if not where then
    print("This is computer #" .. os.getComputerID())
    local label = os.getComputerLabel()
    if label then print("This computer is labelled \"" .. label .. "\"") end
elseif disk.hasAudio(where) then
    print("Has audio track \"" .. disk.getAudioTitle(where) .. "\"")
elseif not disk.hasData(where) then
    print("No disk in drive " .. where)
else
    local number, label = disk.getID(where), disk.getLabel(where)
    -- Disks of a world have numbers; what else can be mounted may have none.
    print(number and "The disk is #" .. number or "The disk has no ID")
    if label then print("The disk is labelled \"" .. label .. "\"") end
end
