-- Specs of apis/mcpcomputer/capture.lua.

local capture = require("/apis/mcpcomputer/capture")

describe("what is printed", function()
    it("is kept in order", function()
        local captured = capture.new()
        for index = 1, 10000 do
            captured:write(index % 10 .. "")
        end
        expect(captured:text()).to_equal(("1234567890"):rep(1000))
        expect(captured.bytes).to_equal(10000)
    end)

    it("is only counted past the limit", function()
        local captured = capture.new()
        for _ = 1, 10 do
            captured:write(("x"):rep(1024 * 1024))
        end
        expect(#captured:text()).to_equal(8 * 1024 * 1024)
        expect(captured.bytes).to_equal(10 * 1024 * 1024)
    end)

    it("is given out once", function()
        local captured = capture.new()
        expect(captured:has_news()).to_equal(false)
        captured:write("a")
        captured:write("b")
        expect(captured:has_news()).to_equal(true)
        expect(captured:take()).to_equal("ab")
        expect(captured:has_news()).to_equal(false)
        captured:write("c")
        expect(captured:take()).to_equal("c")
        expect(captured:take()).to_equal(nil)
        expect(captured:text()).to_equal("abc")
    end)

    it("is given out in pieces that fit a frame, with whole characters", function()
        local captured = capture.new()
        captured:write(("🐢"):rep(15000))
        local pieces, whole = 0, ""
        while captured:has_news() do
            local piece = captured:take()
            expect(#piece).to_be_between(1, 20000)
            expect(#piece % 4).to_equal(0)
            pieces, whole = pieces + 1, whole .. piece
        end
        expect(pieces).to_equal(3)
        expect(whole == captured:text()).to_equal(true)
    end)

    it("waits for the rest of a character", function()
        local captured = capture.new()
        captured:write("a\240\159")
        expect(captured:take()).to_equal("a")
        captured:write("\144\162b")
        expect(captured:take()).to_equal("🐢b")
    end)
end)
