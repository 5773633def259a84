-- Shows how full an energy cell is, and calls for help over a modem when it is nearly empty.

local ALARM_CHANNEL = 911
local LOW = 0.2

local cell = peripheral.find("energy_cell")
if not cell then
    printError("No energy cell is attached")
    return
end
local modem = peripheral.find("modem")

local function show()
    local ok, share = pcall(function()
        return cell.getEnergy() / cell.getCapacity()
    end)
    term.setCursorPos(1, 1)
    term.clearLine()
    if not ok then
        term.setTextColour(colours.red)
        write("no answer: " .. share)
        term.setTextColour(colours.white)
        return
    end
    term.setTextColour(share < LOW and colours.red or colours.lime)
    write(("%d %%"):format(share * 100 + 0.5))
    term.setTextColour(colours.white)
    if share < LOW and modem then
        modem.transmit(ALARM_CHANNEL, ALARM_CHANNEL, { alarm = "low", share = share })
    end
end

term.clear()
show()
while true do
    local event, name = os.pullEvent()
    if event == "energy_changed" then
        show()
    elseif event == "peripheral_detach" and name == peripheral.getName(cell) then
        term.setCursorPos(1, 1)
        term.clearLine()
        print("The energy cell is gone")
        return
    elseif event == "char" and name == "q" then
        return
    end
end
