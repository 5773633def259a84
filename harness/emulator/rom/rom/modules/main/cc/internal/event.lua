-- cc.internal.event: what programs that act on keys do with the events around them.

local event = {}

-- The text of a key comes with it or right after it: one turn of the queue is enough.
local ONE_TURN = 0

--- Drops the text of the key that was pressed last, so that whoever reads next does not
--- get it. Some keys have none. All other events are kept.
function event.discard_char()
    local kept = {}
    local turn = os.startTimer(ONE_TURN)
    local waiting = true
    while waiting do
        local received = table.pack(os.pullEvent())
        local is_text = received[1] == "char"
        local is_over = received[1] == "timer" and received[2] == turn
        if is_text then os.cancelTimer(turn) end
        waiting = not (is_text or is_over)
        if waiting then kept[#kept + 1] = received end
    end
    for _, other in ipairs(kept) do os.queueEvent(table.unpack(other, 1, other.n)) end
end

return event
