-- attach: attaches an emulated peripheral.

local arguments = { ... }
if not periphemu then
    printError("Peripherals cannot be emulated here")
    return
end
if #arguments < 2 then
    print("Usage: " .. (arg[0] or "attach") .. " <side> <type> [options...]")
    print("Peripheral types:")
    textutils.pagedTabulate(periphemu.names())
    return
end
local ok, message = periphemu.create(table.unpack(arguments))
if not ok then printError("Could not attach peripheral" .. (message and ": " .. tostring(message) or "")) end
