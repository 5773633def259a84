-- Specs of apis/mcpcomputer/retry.lua.

local retry = require("/apis/mcpcomputer/retry").new()

describe("the wait before the next attempt", function()
    it("begins at a second, with some chance", function()
        expect(retry:next_delay(0, 0)):same(1)
        expect(retry:next_delay(0, 1)):same(1.5)
    end)

    it("never passes 5 s while the outage is under 20 s", function()
        for outage = 0, 20 do
            expect(retry:next_delay(outage, 1)):between(1, 5)
        end
    end)

    it("grows to 30 s and no further", function()
        expect(retry:next_delay(60, 0)):same(10)
        expect(retry:next_delay(100000, 1)):same(30)
    end)

    it("is drawn anew each time", function()
        local seen = {}
        for _ = 1, 10 do
            seen[retry:next_delay(0)] = true
        end
        local different = 0
        for _ in pairs(seen) do
            different = different + 1
        end
        expect(different):between(2, 10)
    end)
end)
