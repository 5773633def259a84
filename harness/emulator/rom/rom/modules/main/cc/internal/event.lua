-- cc.internal.event: small helpers for events.

--- Drops the `char` event that follows a `key` event, so that the character does not
--- appear at the next prompt.
local function discard_char()
    local timer = os.startTimer(0)
    while true do
        local event, id = os.pullEvent()
        if event == "timer" and id == timer then
            return
        elseif event == "char" or event == "key" or event == "key_up" then
            os.cancelTimer(timer)
            return
        end
    end
end

return { discard_char = discard_char }
