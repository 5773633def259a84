-- Specs of apis/mcpcomputer/frames.lua.

local frames = require("/apis/mcpcomputer/frames")
local json = require("/apis/mcpcomputer/json")

local function join(parts)
    local joiner = frames.new_joiner()
    local whole, problem
    for _, part in ipairs(parts) do
        whole, problem = joiner:add(json.decode(part))
    end
    return whole, problem
end

local function captured(text)
    return { text = text, bytes = #text }
end

describe("a hello", function()
    it("has everything that was agreed on", function()
        local text = frames.hello({ id = 12, label = "base-turtle", version = "0.2.0", token = "s3cret" })
        expect(text):same(
            '{"type":"hello","computerId":12,"computerLabel":"base-turtle","version":"0.2.0",'
                .. '"capabilities":["exec-lua","cancel","output","parts","tools","bye"],"token":"s3cret"}'
        )
    end)

    it("leaves out a label that is not there", function()
        expect(frames.hello({ id = 0, label = "" })):same('{"type":"hello","computerId":0}')
        expect(frames.hello({ id = 0 })):same('{"type":"hello","computerId":0}')
    end)
end)

describe("a response", function()
    it("holds returned values and output", function()
        local text = frames.success("req-1", table.pack(2), captured("hi\n"))
        expect(text):same(
            '{"type":"response","id":"req-1","ok":true,'
                .. '"result":{"returns":[{"type":"number","value":2}],"output":"hi\\n"}}'
        )
    end)

    it("holds an error and what was printed until then", function()
        expect(frames.failure("req-1", "mcp-exec:1: boom", captured("before"))):same(
            '{"type":"response","id":"req-1","ok":false,"error":"mcp-exec:1: boom","output":"before"}'
        )
        expect(frames.failure("req-1", "unknown method")):same(
            '{"type":"response","id":"req-1","ok":false,"error":"unknown method"}'
        )
    end)

    it("fits the room, whatever is in it", function()
        local room = 6000
        for _, piece in ipairs({ "x", '"', "\1", "\255", "ü" }) do
            local large = piece:rep(8000)
            for _, text in ipairs({
                frames.success("req-1", table.pack(large, { large }, large), captured(large), room),
                frames.success("req-1", table.pack(), captured(large), room),
                frames.failure("req-1", large, captured(large), room + 20000),
            }) do
                expect(#text):between(1000, room + 20000)
                expect(json.decode(text).id):same("req-1")
            end
        end
    end)

    it("has room for 16 KiB of an error", function()
        local cut = json.decode(frames.failure("req-1", ("x"):rep(40000))).error
        expect(cut):contains("[cut: 40000 bytes in all]")
        -- With its quotes.
        expect(#cut + 2):between(16384 - 8, 16384)
    end)

    it("shares the room between values and output", function()
        local large = ("x"):rep(30000)
        local result = json.decode(frames.success("req-1", table.pack(large), captured(large), 20000)).result
        expect(#result.output):between(8000, 12000)
        expect(#result.returns[1].repr):between(8000, 12000)
        expect(result.output):contains("[cut: 30000 bytes in all]")
    end)
end)

describe("parts", function()
    it("are those of one request", function()
        local splitter = frames.new_splitter("req-1", ("x"):rep(200000))
        expect({ splitter:is_for("req-1"), splitter:is_for("req-2") }):same({ true, false })
    end)

    it("are not needed for what fits one message", function()
        local text = ("x"):rep(131072)
        expect(frames.split("req-1", text)):same({ text })
    end)

    it("come together again, and each fits one message", function()
        for _, piece in ipairs({ "x", '"', "\\", "ü", "🐢", "a\n" }) do
            local text = json.encode_string(piece:rep(150000 / #piece))
            local parts = frames.split("req-1", text)
            for _, part in ipairs(parts) do
                expect(#part):between(1, 131072)
            end
            -- All of it at once is more than the game lets a program do without yielding on a slow machine.
            sleep(0)
            expect(join(parts) == text):same(true)
            sleep(0)
        end
    end)

    it("are numbered from 0, and the last says so", function()
        local parts = frames.split("req-7", ("x"):rep(200000))
        for index, part in ipairs(parts) do
            local frame = json.decode(part)
            expect({ frame.type, frame.id, frame.seq, frame.last }):same({
                "part",
                "req-7",
                index - 1,
                index == #parts,
            })
        end
    end)

    it("out of order are refused", function()
        local function add(...)
            local joiner = frames.new_joiner()
            local problem
            for _, seq in ipairs({ ... }) do
                problem = select(2, joiner:add({ seq = seq, last = false, data = "x" }))
            end
            return problem
        end
        expect(add(1)):same("part 0 is missing: part 1 came instead")
        expect(add(0, 0)):same("part 0 came twice")
        expect(add(0, 2)):same("part 1 is missing: part 2 came instead")
        expect(add(0.5)):same("a part has no `seq`")
        expect(add(-1)):same("a part has no `seq`")
    end)

    it("without a field are refused", function()
        local _, problem = frames.new_joiner():add({ seq = 0, data = "x" })
        expect(problem):same("a part has no `last` or `data`")
    end)

    it("are not endless", function()
        local joiner = frames.new_joiner()
        local _, problem
        for seq = 0, 2048 do
            _, problem = joiner:add({ seq = seq, last = false, data = "" })
        end
        expect(problem):same("the request came in more than 2048 parts")
        joiner = frames.new_joiner()
        joiner:add({ seq = 0, last = false, data = ("x"):rep(8 * 1024 * 1024) })
        _, problem = joiner:add({ seq = 1, last = true, data = "x" })
        expect(problem):same("the request has more than 8388608 bytes")
    end)
end)
