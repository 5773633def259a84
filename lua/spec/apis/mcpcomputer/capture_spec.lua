-- Specs of apis/mcpcomputer/capture.lua.

local capture = require("/apis/mcpcomputer/capture")

describe("what is printed", function()
    it("is kept in order", function()
        local captured = capture.new()
        for index = 1, 10000 do
            captured:write(index % 10 .. "")
        end
        expect(captured:text()):same(("1234567890"):rep(1000))
        expect(captured.bytes):same(10000)
    end)

    it("is only counted past the limit", function()
        local captured = capture.new()
        for _ = 1, 10 do
            captured:write(("x"):rep(1024 * 1024))
        end
        expect(#captured:text()):same(8 * 1024 * 1024)
        expect(captured.bytes):same(10 * 1024 * 1024)
    end)

    it("is given out once", function()
        local captured = capture.new()
        expect(captured:has_news()):same(false)
        captured:write("a")
        captured:write("b")
        expect(captured:has_news()):same(true)
        expect(captured:take()):same("ab")
        expect(captured:has_news()):same(false)
        captured:write("c")
        expect(captured:take()):same("c")
        expect(captured:take()):same(nil)
        expect(captured:text()):same("abc")
    end)

    it("is given out in pieces that fit a frame, with whole characters", function()
        local captured = capture.new()
        captured:write(("🐢"):rep(15000))
        local pieces, whole = 0, ""
        while captured:has_news() do
            local piece = captured:take()
            expect(#piece):between(1, 20000)
            expect(#piece % 4):same(0)
            pieces, whole = pieces + 1, whole .. piece
        end
        expect(pieces):same(3)
        expect(whole == captured:text()):same(true)
    end)

    it("waits for the rest of a character", function()
        local captured = capture.new()
        captured:write("a\240\159")
        expect(captured:take()):same("a")
        captured:write("\144\162b")
        expect(captured:take()):same("🐢b")
    end)
end)
