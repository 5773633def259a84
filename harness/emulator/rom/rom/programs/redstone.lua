-- redstone: shows and sets the redstone signals of the computer.

local arguments = { ... }

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usages:")
    print(name .. " probe")
    print(name .. " set <side> <value>")
    print(name .. " set <side> <color> <value>")
    print(name .. " pulse <side> <count> <period>")
end

local function probe()
    print("Redstone inputs: ")
    local bundled = {}
    local any = false
    for _, side in ipairs(redstone.getSides()) do
        if redstone.getBundledInput(side) > 0 then bundled[#bundled + 1] = side end
        if redstone.getInput(side) then
            if any then io.write(", ") end
            io.write(side)
            any = true
        end
    end
    if #bundled > 0 then
        if any then io.write(", ") end
        io.write(table.concat(bundled, ", ") .. " (bundled)")
        any = true
    end
    print(any and "." or "None.")
end

local function read_boolean(text)
    if text == "true" then return true end
    if text == "false" then return false end
    return nil
end

local command = arguments[1]
if command == "probe" then
    probe()
elseif command == "set" and #arguments <= 3 then
    local side = arguments[2]
    local value, strength = read_boolean(arguments[3]), tonumber(arguments[3] or "")
    if value ~= nil then
        redstone.setOutput(side, value)
    elseif strength and strength >= 0 and strength <= 15 then
        redstone.setAnalogOutput(side, strength)
    else
        print("Value must be boolean or 0-15")
    end
elseif command == "set" then
    local side = arguments[2]
    local color = colors[arguments[3]] or colours[arguments[3]]
    if type(color) ~= "number" then
        printError("No such color")
        return
    end
    local value = read_boolean(arguments[4])
    if value == nil then
        print("Value must be boolean")
    elseif value then
        rs.setBundledOutput(side, colors.combine(rs.getBundledOutput(side), color))
    else
        rs.setBundledOutput(side, colors.subtract(rs.getBundledOutput(side), color))
    end
elseif command == "pulse" and #arguments >= 2 then
    local side = arguments[2]
    local count, period = tonumber(arguments[3]) or 1, tonumber(arguments[4]) or 0.5
    for _ = 1, count do
        redstone.setOutput(side, true)
        sleep(period / 2)
        redstone.setOutput(side, false)
        sleep(period / 2)
    end
else
    usage()
end
