-- refuel: burns items for fuel.

if not turtle then
    printError("Requires a Turtle")
    return
end

local arguments = { ... }
if #arguments > 1 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " [number]")
    return
end

local SLOTS = 16
local limit = 1
if arguments[1] == "all" then
    limit = nil
elseif arguments[1] then
    limit = tonumber(arguments[1])
    if not limit then
        print("Invalid limit, expected a number or \"all\"")
        return
    end
end

if turtle.getFuelLevel() == "unlimited" then
    print("Fuel level is unlimited")
    return
end

for slot = 1, SLOTS do
    if limit and limit <= 0 then break end
    turtle.select(slot)
    local count = turtle.getItemCount(slot)
    if count > 0 then
        local burn = limit and math.min(limit, count) or count
        if turtle.refuel(burn) ~= false and limit then
            limit = limit - (count - turtle.getItemCount(slot))
        end
    end
end
print("Fuel level is " .. turtle.getFuelLevel())
if turtle.getFuelLevel() == turtle.getFuelLimit() then print("Fuel limit reached") end
