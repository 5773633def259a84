-- Waiting inside a call of the program: what happens meanwhile is the program's to see.

local error, ipairs, pack, unpack = error, ipairs, table.pack, table.unpack
local start_timer, queue_event, yield = os.startTimer, os.queueEvent, coroutine.yield

---Lets time pass. Other events stay in the queue, behind it.
local function wait(seconds)
    local timer, kept = start_timer(seconds), {}
    while true do
        local event = pack(yield())
        if event[1] == "timer" and event[2] == timer then
            break
        elseif event[1] == "terminate" then
            error("Terminated", 0)
        end
        kept[#kept + 1] = event
    end
    for _, event in ipairs(kept) do
        queue_event(unpack(event, 1, event.n))
    end
end

return { wait = wait }
