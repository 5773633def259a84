-- Shows the alarms of all batteries around; a key ends it.

local ALARM_CHANNEL = 911

local modem = peripheral.find("modem")
modem.open(ALARM_CHANNEL)
print("listening")
while true do
    local event, _, channel, _, message = os.pullEvent()
    if event == "modem_message" and channel == ALARM_CHANNEL then
        print(("%s: %d %%"):format(message.alarm, message.share * 100 + 0.5))
    elseif event == "key" then
        return
    end
end
