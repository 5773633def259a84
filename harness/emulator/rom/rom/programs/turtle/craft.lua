-- craft: makes items of what the turtle carries.

local program = require("cc.internal.program")(arg, shell, ...)

--- What each wish means as a limit for turtle.craft.
local function limit_of(wish)
    if wish == "all" then return true, nil end
    local limit = wish and tonumber(wish)
    return limit ~= nil, limit
end

--- Counts the items in the slot that crafting fills.
local function in_slot()
    return turtle.getItemCount(turtle.getSelectedSlot())
end

--- Works out how many items were made. What lay in the slot before went into them, unless
--- there was more of it than could be used.
local function made(before, after, limit)
    local was_used_up = not limit or before <= limit
    return was_used_up and after or before - after
end

--- Puts a number of items into words.
local function in_words(count)
    if count < 1 then return "No items" end
    return count == 1 and "1 item" or count .. " items"
end

if not turtle then
    printError("Requires a Turtle")
    return
end
if not turtle.craft then
    print("Requires a Crafty Turtle")
    return
end

local understood, limit = limit_of(program.words[1])
if not understood then
    program:usage("all|<number>")
    return
end

local before = in_slot()
local count = turtle.craft(limit) and made(before, in_slot(), limit) or 0
print(in_words(count) .. " crafted")
