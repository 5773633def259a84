-- Specs of apis/mcpcomputer/events.lua, on a computer that loses events: the game does when 256 are waiting.

local FILE = "/apis/mcpcomputer/events.lua"

---Gives the module on a computer that drops the first event that is queued.
local function lossy()
    local queued = 0
    local os_like = setmetatable({
        queueEvent = function(...)
            queued = queued + 1
            if queued > 1 then
                os.queueEvent(...)
            end
        end,
    }, { __index = os })
    local events = assert(loadfile(FILE, nil, setmetatable({ os = os_like }, { __index = _G })))()
    return events.new(), function()
        return queued
    end
end

describe("a turn", function()
    it("that is lost is taken again, and what came meanwhile is kept", function()
        local events, queued = lossy()
        local timer = os.startTimer(0.4)
        os.queueEvent("spec_event", 1)
        events:turn()
        expect(queued()):same(2)
        local first, second = events:next(), events:next()
        expect({ first[1], first[2] }):same({ "spec_event", 1 })
        expect({ second[1], second[2] }):same({ "timer", timer })
    end)
end)
