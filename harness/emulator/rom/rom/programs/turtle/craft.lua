-- craft: lets a turtle with a crafting table craft.

local program = require("cc.internal.program")(arg, shell, ...)
if not turtle then return printError("Requires a Turtle") end
if not turtle.craft then return print("Requires a Crafty Turtle") end

local wanted = program.words[1]
local limit = tonumber(wanted)
if not limit and wanted ~= "all" then return program:usage("all|<number>") end

local before = turtle.getItemCount()
local crafted = 0
if turtle.craft(limit) then
    local after = turtle.getItemCount()
    -- More lay in the slot than may be used: some of that is gone. Otherwise there is now what was crafted.
    crafted = limit and before > limit and before - after or after
end
local said = { [0] = "No items crafted", [1] = "1 item crafted" }
print(said[crafted] or crafted .. " items crafted")
