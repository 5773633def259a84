-- attach: attaches an emulated peripheral.

local arguments = { ... }
if not periphemu then
    printError("Peripherals cannot be emulated here")
    return
end
if arguments[1] == "list" then
    textutils.pagedTabulate(periphemu.names())
    return
end
if #arguments < 2 then
    print("Usage: attach <side> <type> [options...]")
    print("       attach list")
    return
end
if peripheral.isPresent(arguments[1]) then
    print("Peripheral already attached")
    return
end
-- The computers of one process are attached by their numbers.
arguments[1] = tonumber(arguments[1]) or arguments[1]
local ok, message = periphemu.create(table.unpack(arguments))
if not ok then printError("Could not attach peripheral" .. (message and ": " .. tostring(message) or "")) end
