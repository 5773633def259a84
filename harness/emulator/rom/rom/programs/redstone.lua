-- redstone: shows and sets redstone signals.

local program = require("cc.internal.program")(arg, shell, ...)

-- The strongest signal.
local STRONGEST = 15
local SWITCHES = { ["true"] = true, ["false"] = false }

--- Prints which inputs are on, and which cables of bundles.
local function probe()
    print("Redstone inputs: ")
    local quiet = true
    for _, side in ipairs(redstone.getSides()) do
        local bundle = redstone.getBundledInput(side)
        if bundle > 0 then print(side, bundle) end
        if redstone.getInput(side) then print(side) end
        quiet = quiet and bundle == 0 and not redstone.getInput(side)
    end
    if quiet then print("None.") end
end

--- Switches one cable of a bundle.
local function set_cable(side, name, value)
    local colour = colors[name] or colours[name]
    if type(colour) ~= "number" then return printError("No such color") end
    local switch = SWITCHES[value]
    if switch == nil then return print("Value must be boolean") end
    local bundle = redstone.getBundledOutput(side)
    redstone.setBundledOutput(side, (switch and colors.combine or colors.subtract)(bundle, colour))
end

local function set_side(side, value)
    local strength = tonumber(value)
    if SWITCHES[value] ~= nil then
        redstone.setOutput(side, SWITCHES[value])
    elseif strength and strength >= 0 and strength <= STRONGEST then
        redstone.setAnalogOutput(side, strength)
    else
        print("Value must be boolean or 0-15")
    end
end

local function pulse(_, side, count, period)
    local half = (tonumber(period) or 0.5) / 2
    for _ = 1, tonumber(count) or 1 do
        for _, on in ipairs({ true, false }) do
            redstone.setOutput(side, on)
            sleep(half)
        end
    end
end

program:choose({
    probe = probe,
    pulse = pulse,
    set = function(_, side, first, second)
        if second then set_cable(side, first, second) else set_side(side, first) end
    end,
}, "probe", "set <side> <value>", "set <side> <color> <value>", "pulse <side> <count> <period>")
