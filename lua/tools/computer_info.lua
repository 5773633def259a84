-- The tool `computer-info`: what a computer is and has.

local values = require("lib.values")

local function kind()
    if turtle then
        return "turtle"
    elseif pocket then
        return "pocket"
    elseif commands then
        return "command"
    end
    return "computer"
end

---Gives a number of the disk; nothing where it has no end.
local function bytes_of(measure)
    local ok, bytes = pcall(measure, "/")
    if ok and type(bytes) == "number" and bytes < math.huge then
        return bytes
    end
    return nil
end

local function call()
    local width, height = term.getSize()
    local fuel
    if turtle then
        fuel =
            { level = values.portable(turtle.getFuelLevel()), limit = values.portable(turtle.getFuelLimit()) }
    end
    return {
        structuredContent = {
            id = os.getComputerID(),
            label = os.getComputerLabel(),
            kind = kind(),
            advanced = term.isColor(),
            host = tostring(_HOST),
            craftos = os.version(),
            lua = _VERSION,
            uptimeSeconds = os.clock(),
            screen = { width = width, height = height },
            disk = {
                freeBytes = bytes_of(fs.getFreeSpace),
                capacityBytes = fs.getCapacity and bytes_of(fs.getCapacity),
            },
            fuel = fuel,
            peripherals = #peripheral.getNames(),
            http = http ~= nil,
        },
    }
end

return { call = call }
