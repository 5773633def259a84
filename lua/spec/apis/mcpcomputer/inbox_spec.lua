-- Specs of apis/mcpcomputer/inbox.lua.

local inbox = require("/apis/mcpcomputer/inbox")

local function part(id, seq, last, data)
    return { type = "part", id = id, seq = seq, last = last, data = data or "x" }
end

describe("an inbox", function()
    it("knows an id that came before", function()
        local box = inbox.new()
        expect(box:is_repeated("req-1")):same(false)
        expect(box:is_repeated("req-1")):same(true)
        for index = 2, 300 do
            box:is_repeated("req-" .. index)
        end
        expect(box:is_repeated("req-300")):same(true)
    end)

    it("puts requests together that come at the same time", function()
        local box = inbox.new()
        expect(box:add_part(part("a", 0, false, "1"))):same(nil)
        expect(box:add_part(part("b", 0, false, "3"))):same(nil)
        expect(box:add_part(part("a", 1, true, "2"))):same("12")
        expect(box:add_part(part("b", 1, true, "4"))):same("34")
    end)

    it("names a failure once, and ignores the rest of that request", function()
        local box = inbox.new()
        box:add_part(part("a", 0, false))
        local _, problem = box:add_part(part("a", 2, false))
        expect(problem):contains("part 1 is missing")
        expect({ box:add_part(part("a", 3, false)) }):same({})
        expect({ box:add_part(part("a", 4, true)) }):same({})
        expect({ box:add_part(part("a", 0, true)) }):same({})
    end)

    it("ignores parts without an id", function()
        expect({ inbox.new():add_part(part(nil, 0, true)) }):same({})
    end)

    it("does not hold any number of beginnings", function()
        local box = inbox.new()
        local _, problem
        for index = 1, 65 do
            _, problem = box:add_part(part("r" .. index, 0, false))
        end
        expect(problem):contains("64 requests are on their way in parts already")
    end)

    it("gives back the place of a request that is given up", function()
        local box = inbox.new()
        for index = 1, 200 do
            local _, problem = box:add_part(part("r" .. index, 0, false))
            expect(problem):same(nil)
            box:forget("r" .. index)
            expect({ box:add_part(part("r" .. index, 1, true)) }):same({})
        end
        box:forget("never came")
        expect(box:add_part(part("last", 0, true, "whole"))):same("whole")
    end)

    it("gives back the place of a request that has failed", function()
        local box = inbox.new()
        for index = 1, 200 do
            local _, problem = box:add_part(part("r" .. index, 1, false))
            expect(problem):contains("part 0 is missing")
        end
    end)
end)
