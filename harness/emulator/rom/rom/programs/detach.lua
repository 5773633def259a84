-- detach: removes an emulated peripheral.

local arguments = { ... }
if not periphemu then
    printError("Peripherals cannot be emulated here")
    return
end
if #arguments < 1 then
    print("Usage: " .. (arg[0] or "detach") .. " <side>")
    return
end
if not periphemu.remove(arguments[1]) then printError("Could not detach peripheral") end
