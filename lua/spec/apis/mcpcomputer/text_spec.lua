-- Specs of apis/mcpcomputer/text.lua.

local text = require("/apis/mcpcomputer/text")

describe("is_utf8", function()
    for name, value in pairs({
        ["nothing"] = "",
        ["ASCII"] = "hello \0\127",
        ["two bytes"] = "\194\128 \223\191",
        ["three bytes"] = "\224\160\128 \236\191\191 \237\159\191 \238\128\128 \239\191\191",
        ["four bytes"] = "\240\144\128\128 \241\128\128\128 \244\143\191\191",
    }) do
        it("takes " .. name, function()
            expect(text.is_utf8(value)):same(true)
        end)
    end

    for name, value in pairs({
        ["a continuation alone"] = "\128",
        ["a lead alone"] = "\195",
        ["a lead before ASCII"] = "\195a",
        ["one continuation too many"] = "\195\188\188",
        ["overlong two bytes"] = "\192\128",
        ["overlong three bytes"] = "\224\159\191",
        ["overlong four bytes"] = "\240\143\191\191",
        ["a surrogate"] = "\237\160\128",
        ["beyond Unicode"] = "\244\144\128\128",
        ["a byte that is never used"] = "\245",
        ["a character within a broken one"] = "\195\226\130\172\169",
    }) do
        it("refuses " .. name, function()
            expect(text.is_utf8(value)):same(false)
        end)
    end
end)

describe("to_utf8", function()
    it("leaves text as it is", function()
        expect(text.to_utf8("tür 🐢\n")):same("tür 🐢\n")
    end)

    it("escapes only what is no text", function()
        expect(text.to_utf8("ü\255ü\195")):same("ü\\255ü\\195")
        expect(text.to_utf8("\237\160\128")):same("\\237\\160\\128")
    end)

    it("gives valid text for every pair of bytes", function()
        local wrong = 0
        for first = 128, 255 do
            for second = 0, 255, 15 do
                if not text.is_utf8(text.to_utf8(string.char(first, second))) then
                    wrong = wrong + 1
                end
            end
        end
        expect(wrong):same(0)
    end)
end)

describe("whole_characters", function()
    it("does not cut a character in two", function()
        expect(text.whole_characters("aüb", 2)):same(1)
        expect(text.whole_characters("aüb", 3)):same(3)
        expect(text.whole_characters("🐢", 3)):same(0)
        expect(text.whole_characters("abc", 10)):same(3)
    end)

    it("cuts what is no text anywhere", function()
        expect(text.whole_characters(("\128"):rep(20), 10)):same(10)
    end)
end)

describe("split_incomplete", function()
    it("holds back the beginning of a character", function()
        local complete, rest = text.split_incomplete("ab\240\159\144")
        expect({ complete, rest }):same({ "ab", "\240\159\144" })
    end)

    it("gives complete text away", function()
        for _, value in ipairs({ "", "ab", "ü", "🐢", "\128\128\128\128" }) do
            expect((text.split_incomplete(value))):same(value)
        end
    end)
end)

describe("base64", function()
    it("is as RFC 4648 has it", function()
        local vectors =
            { [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", foobar = "Zm9vYmFy" }
        for plain, written in pairs(vectors) do
            expect(text.base64(plain)):same(written)
        end
        expect(text.base64("\255\0\254")):same("/wD+")
    end)

    it("joins slices without padding between them", function()
        expect(text.base64(("abc"):rep(5000))):same(("YWJj"):rep(5000))
    end)
end)
