-- Specs of apis/mcpcomputer/json.lua.

local json = require("/apis/mcpcomputer/json")

describe("encode", function()
    it("keeps UTF-8 raw and escapes control characters", function()
        expect(json.encode_string('tür 🐢 "\\/\n\r\t\0\31\127', false)):same(
            '"tür 🐢 \\"\\\\/\\n\\r\\t\\u0000\\u001f\127"'
        )
    end)

    it("writes bytes that are no text as Lua does", function()
        expect(json.encode_string("\255")):same('"\\\\255"')
    end)

    it("writes ASCII alone where the computer needs it", function()
        expect(json.encode_string("aü€🐢", true)):same('"a\\u00fc\\u20ac\\ud83d\\udc22"')
    end)

    it("writes ASCII alone in games before 1.109, and only there", function()
        for host, written in pairs({
            ["ComputerCraft 1.100.0 (Minecraft 1.18.2)"] = '"\\u00fc"',
            ["ComputerCraft 1.108.4 (Minecraft 1.20.1)"] = '"\\u00fc"',
            ["ComputerCraft 1.109.0 (Minecraft 1.20.1)"] = '"ü"',
            ["ComputerCraft 1.113.1 (Minecraft 1.20.1)"] = '"ü"',
            ["ComputerCraft 1.106.1 (CraftOS-PC v2.7.5)"] = '"ü"',
        }) do
            local env = setmetatable({ require = require, _HOST = host }, { __index = _G })
            local fresh = assert(loadfile("/apis/mcpcomputer/json.lua", nil, env))()
            expect({ host, fresh.encode_string("ü") }):same({ host, written })
            expect(fresh.from_wire(written == '"ü"' and "ü" or "\252")):same("ü")
        end
    end)

    it("writes numbers so that they come back", function()
        local numbers = { 0, 1, -1, 0.1, 1 / 3, 2 ^ 53, -2 ^ 53, 1e15, 1e100, 2 ^ -1074, 123456.789, 1e21 }
        for _, number in ipairs(numbers) do
            expect(tonumber(json.encode_number(number))):same(number)
        end
        expect(json.encode_number(2 ^ 53)):same("9007199254740992")
        expect(json.encode_number(1e15)):same("1000000000000000")
    end)

    it("has nothing for numbers that JSON cannot hold", function()
        expect(json.encode_number(0 / 0)):same(nil)
        expect(json.encode_number(math.huge)):same(nil)
        expect(json.encode_number(-math.huge)):same(nil)
    end)

    it("writes lists, and objects with their keys in order", function()
        expect(json.encode({ b = { 1, "x", true }, a = {} })):same('{"a":{},"b":[1,"x",true]}')
    end)

    it("refuses what has no JSON", function()
        expect(function()
            json.encode({ print })
        end):throws("cannot write a function")
        local cycle = {}
        cycle.cycle = cycle
        expect(function()
            json.encode(cycle)
        end):throws("levels")
    end)
end)

describe("decode", function()
    it("reads what encode writes", function()
        local value = { a = { 1, 2, { b = "tür\n" } }, c = false, d = -1.5e3 }
        expect(json.decode(json.encode(value))):same(value)
    end)

    it("reads escapes, surrogate pairs too", function()
        expect(json.decode('"\\u00fc\\ud83d\\udc22\\/\\b\\f"')):same("ü🐢/\b\f")
        expect(json.decode('"\\ud83d!"')):same("\239\191\189!")
    end)

    it("reads the first and the last character of each length", function()
        expect(json.decode('"\\u007f\\u0080\\u07ff\\u0800"')):same("\127\194\128\223\191\224\160\128")
        expect(json.decode('"\\uffff\\ud800\\udc00\\udbff\\udfff"')):same(
            "\239\191\191\240\144\128\128\244\143\191\191"
        )
    end)

    it("reads null as nothing", function()
        expect(json.decode('{"a":null,"b":1}')):same({ b = 1 })
        expect(json.decode("null")):same(nil)
    end)

    it("passes over space", function()
        expect(json.decode(' { "a" : [ 1 , 2 ] } \n')):same({ a = { 1, 2 } })
        local strings = json.decode(' { "a" : "x" ,\n"b":"\\n","c":"", "d" : "}" } ')
        expect(strings):same({ a = "x", b = "\n", c = "", d = "}" })
    end)

    it("names what is wrong, and never throws", function()
        local wrong = {
            "",
            "{",
            "[1,]",
            "{1:2}",
            '{"a":}',
            '{"a":"b"',
            '{"a":"b",}',
            '{"a":"b";"c":"d"}',
            '"open',
            '"\\x"',
            '"\\u12"',
            "nan",
            "01",
            "1 2",
            "{} x",
            '"\n"',
            ("["):rep(100000),
        }
        for _, source in ipairs(wrong) do
            local value, problem = json.decode(source)
            expect(value):same(nil)
            expect(problem):str_match("malformed JSON at byte %d+")
        end
    end)
end)

describe("from_wire", function()
    it("turns Latin-1 back where the computer has read it so", function()
        expect(json.from_wire("t\252r", true)):same("tür")
        expect(json.from_wire("tür", false)):same("tür")
    end)
end)
