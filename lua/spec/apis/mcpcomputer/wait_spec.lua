-- Specs of apis/mcpcomputer/wait.lua.

local time = 0
local calendar = setmetatable({
    epoch = function()
        return time
    end,
}, { __index = os })
local environment = setmetatable({ os = calendar }, { __index = _ENV })
local wait = assert(loadfile("/apis/mcpcomputer/wait.lua", nil, environment))()

describe("a wait", function()
    before_each(function()
        time = 1000000
    end)

    it("is over after its time, and not before", function()
        local one = wait.new(500)
        expect(one:is_over()):same(false)
        expect(one:left_s()):same(0.5)
        time = time + 499
        expect(one:is_over()):same(false)
        time = time + 1
        expect(one:is_over()):same(true)
        expect(one:left_s()):same(0)
    end)

    it("is over where the calendar is set back", function()
        local one = wait.new(500)
        time = time - 3600000
        expect(one:is_over()):same(true)
        expect(one:left_s()):same(0)
    end)

    it("is over where the calendar is set ahead", function()
        local one = wait.new(500)
        time = time + 3600000
        expect(one:is_over()):same(true)
        expect(one:left_s()):same(0)
    end)
end)
