-- equip: equips an item of the player's inventory.

if not pocket then
    printError("Requires a Pocket Computer")
    return
end

local ok, message = pocket.equipBack()
if ok then
    print("Item equipped")
else
    printError(message)
end
