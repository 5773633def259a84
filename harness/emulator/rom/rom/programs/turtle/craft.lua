-- craft: crafts with what is in the inventory.

if not turtle then
    printError("Requires a Turtle")
    return
end
if not turtle.craft then
    print("Requires a Crafty Turtle")
    return
end

local arguments = { ... }
local limit
if arguments[1] == "all" then
    limit = nil
else
    limit = tonumber(arguments[1])
    if not limit then
        print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " all|<number>")
        return
    end
end

local before = turtle.getItemCount(turtle.getSelectedSlot())
local crafted = 0
if turtle.craft(limit) then
    local after = turtle.getItemCount(turtle.getSelectedSlot())
    if limit and before == after then
        crafted = math.min(before, limit)
    elseif limit and before > after then
        crafted = math.min(limit, before - after)
    else
        crafted = after
    end
end

if crafted > 1 then
    print(crafted .. " items crafted")
elseif crafted == 1 then
    print("1 item crafted")
else
    print("No items crafted")
end
