-- Specs of apis/mcpcomputer/describe.lua and serialize.lua.

local describe_value = require("/apis/mcpcomputer/describe")
local json = require("/apis/mcpcomputer/json")
local serialize = require("/apis/mcpcomputer/serialize").serialize

local function no_pause() end

describe("a value", function()
    for name, case in pairs({
        ["nil"] = { nil, { type = "nil" } },
        ["true"] = { true, { type = "boolean", value = true } },
        ["a number"] = { 1.5, { type = "number", value = 1.5 } },
        ["nan"] = { 0 / 0, { type = "number", repr = "nan" } },
        ["infinity"] = { math.huge, { type = "number", repr = "inf" } },
        ["negative infinity"] = { -math.huge, { type = "number", repr = "-inf" } },
        ["text"] = { "tür", { type = "string", value = "tür" } },
        ["bytes"] = { "\255", { type = "string", base64 = "/w==" } },
        ["a list"] = { { 1 }, { type = "table", repr = "{\n  1,\n}" } },
    }) do
        it("is described: " .. name, function()
            local description, encoded = describe_value.describe(case[1])
            expect(description):same(case[2])
            expect(json.decode(encoded)):same(case[2])
        end)
    end

    it("that cannot be serialized is described by tostring", function()
        local cycle = {}
        cycle.cycle = cycle
        expect(describe_value.describe(cycle).repr):str_match("^table: ")
        expect(describe_value.describe(print).repr):str_match("^function: ")
        expect(describe_value.describe(coroutine.create(print)).type):same("thread")
    end)

    it("with a hostile metatable is described all the same", function()
        local function hostile()
            error("no")
        end
        local value = setmetatable({ print }, { __tostring = hostile, __index = hostile, __pairs = hostile })
        expect(describe_value.describe(value).repr):same("table (its __tostring fails)")
    end)

    it("that is too long is cut and says so", function()
        local description, encoded = describe_value.describe(("x"):rep(5000), 1000)
        expect(#encoded):between(800, 1000)
        expect(description.value):same(nil)
        expect(description.repr):contains("... [cut: 5000 bytes in all]")
    end)

    it("is cut by its escaped length", function()
        for _, piece in ipairs({ '"', "\1", "\255", "ü", "🐢", "a\255" }) do
            local _, encoded = describe_value.describe(piece:rep(3000), 2000)
            expect(#encoded):between(500, 2000)
            expect(type(json.decode(encoded))):same("table")
        end
    end)
end)

describe("bytes", function()
    it("stay whole while their base64 fits the room, and are cut where it does not", function()
        local bytes = ("\255"):rep(900)
        local description = describe_value.describe(bytes, 1400)
        expect(#(description.base64 or "")):same(1200)
        local cut = describe_value.describe(bytes, 1000)
        expect(cut.base64):same(nil)
        expect(cut.repr):contains("[cut: 900 bytes in all]")
    end)
end)

describe("values", function()
    it("pause while there are thousands of them", function()
        local pauses = 0
        local _, encoded = describe_value.describe_all({ n = 2500 }, 1000000, function()
            pauses = pauses + 1
        end)
        expect({ pauses, #json.decode(encoded) }):same({ 2, 2500 })
    end)

    it("keep nils", function()
        local descriptions, encoded = describe_value.describe_all(table.pack(nil, 1, nil), 1000)
        expect(#descriptions):same(3)
        expect(encoded):same('[{"type":"nil"},{"type":"number","value":1},{"type":"nil"}]')
    end)

    it("may be none", function()
        local _, encoded = describe_value.describe_all(table.pack(), 1000)
        expect(encoded):same("[]")
    end)

    it("fill their room to the last byte", function()
        -- Each takes 14 bytes and a comma; 128 bytes are kept for the note that the rest is cut.
        local _, whole = describe_value.describe_all({ n = 2 }, 128 + 2 * 15)
        expect(whole):same('[{"type":"nil"},{"type":"nil"}]')
        local cut = describe_value.describe_all({ n = 2 }, 128 + 2 * 15 - 1)
        expect(cut[2].repr):same("[cut: 1 of 2 values]")
    end)

    it("that are too many are counted", function()
        local values = { n = 1000 }
        local _, encoded = describe_value.describe_all(values, 1000)
        expect(#encoded):between(500, 1000)
        local list = json.decode(encoded)
        expect(list[#list].type):same("cut")
        expect(list[#list].repr):str_match("^%[cut: %d+ of 1000 values%]$")
    end)
end)

describe("an error", function()
    it("of any type has a text", function()
        expect(describe_value.describe_error("x")):same("x")
        expect(describe_value.describe_error(nil)):same("nil")
        expect(describe_value.describe_error(5)):same("5")
        expect(describe_value.describe_error({ 1 })):same("{\n  1,\n}")
        local custom = setmetatable({}, {
            __tostring = function()
                return "custom"
            end,
        })
        expect(describe_value.describe_error(custom)):same("custom")
    end)
end)

describe("serialize", function()
    local function large(extra)
        local value =
            { list = {}, ["end"] = 1, ["a b"] = 2, [-1] = 3, empty = {}, nan = 0 / 0, inf = math.huge }
        for index = 1, 2000 do
            value.list[index] = index % 2 == 0 and index or "line\n" .. index
        end
        value.extra = extra
        return value
    end

    it("writes a large table as textutils does", function()
        local value = large({ { { true } } })
        local written, is_whole = serialize(value, math.huge, no_pause)
        expect(written):same(textutils.serialize(value))
        expect(is_whole):same(true)
    end)

    it("throws where textutils throws", function()
        local value = large({})
        value.extra.again = value
        expect(function()
            serialize(value, math.huge, no_pause)
        end):throws("Cannot serialize")
        expect(function()
            serialize(large(print), math.huge, no_pause)
        end):throws("Cannot serialize type function")
    end)

    it("stops at the limit", function()
        local written, is_whole = serialize(large(), 5000, no_pause)
        expect(#written):between(5001, 5100)
        expect(is_whole):same(false)
    end)

    it("is quick with a hundred thousand entries, and pauses", function()
        local value, pauses = {}, 0
        for index = 1, 100000 do
            value[index] = index
        end
        local written = serialize(value, math.huge, function()
            pauses = pauses + 1
        end)
        expect(#written):same(888898)
        expect(pauses):between(10, 1000)
    end)
end)
