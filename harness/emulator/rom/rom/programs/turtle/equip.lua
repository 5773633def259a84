-- equip: equips an item as a tool.

if not turtle then
    printError("Requires a Turtle")
    return
end

local arguments = { ... }

local function usage()
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <slot> <side>")
end

local slot = tonumber(arguments[1])
local equip = ({ left = turtle.equipLeft, right = turtle.equipRight })[arguments[2]]
if not slot or (arguments[2] ~= "left" and arguments[2] ~= "right") then
    usage()
    return
end

turtle.select(slot)
if turtle.getItemCount(slot) == 0 then
    print("Nothing to equip")
elseif not equip() then
    print("Item not equippable")
elseif turtle.getItemCount(slot) > 0 then
    print("Items swapped")
else
    print("Item equipped")
end
