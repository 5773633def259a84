-- unequip: takes off what is equipped.

if not pocket then
    printError("Requires a Pocket Computer")
    return
end

local ok, message = pocket.unequipBack()
if ok then
    print("Item unequipped")
else
    printError(message)
end
