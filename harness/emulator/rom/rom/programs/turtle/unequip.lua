-- unequip: takes a tool off.

if not turtle then
    printError("Requires a Turtle")
    return
end

local arguments = { ... }
local side = arguments[1]
if side ~= "left" and side ~= "right" then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <side>")
    return
end

local SLOTS = 16
for slot = 1, SLOTS do
    if turtle.getItemCount(slot) == 0 then
        turtle.select(slot)
        if side == "left" then turtle.equipLeft() else turtle.equipRight() end
        if turtle.getItemCount(slot) > 0 then
            print("Item unequipped")
        else
            print("Nothing to unequip")
        end
        return
    end
end
print("No space to unequip item")
