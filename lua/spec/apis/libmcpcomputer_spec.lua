-- Specs of apis/libmcpcomputer.lua: requests and their answers, and the vector of frames that the bridge's tests read.

local library = require("/apis/libmcpcomputer")

local json = library.json

-- Whoever runs the specs copies docs/link/frames.json onto the computer.
local VECTOR = "/docs/link/frames.json"

local function computer(id, label)
    return {
        getComputerID = function()
            return id
        end,
        getComputerLabel = function()
            return label
        end,
    }
end

local TURTLE = computer(12, "base-turtle")

local function exec(code, timeout_ms)
    local params = { code = code, timeoutMs = timeout_ms }
    return library.handle_request(
        { type = "request", id = "req-1", method = "exec-lua", params = params },
        TURTLE
    )
end

describe("format_pong", function()
    it("names id and label", function()
        expect(library.format_pong(TURTLE)):same("pong from 12 (Label: base-turtle)")
    end)

    it("says null for no label", function()
        expect(library.format_pong(computer(0, nil))):same("pong from 0 (Label: null)")
        expect(library.format_pong(computer(0, ""))):same("pong from 0 (Label: null)")
    end)

    it("gives a label of the game, which is Latin-1, as UTF-8", function()
        expect(library.format_pong(computer(1, "t\252r"))):same("pong from 1 (Label: tür)")
        expect(library.format_pong(computer(1, "tür"))):same("pong from 1 (Label: tür)")
        local hello = json.decode(library.frames.hello({ id = 1, label = "t\252r" }))
        expect(hello.computerLabel):same("tür")
    end)

    it("writes a large id as a whole number", function()
        expect(library.format_pong(computer(2 ^ 53, "x"))):same("pong from 9007199254740992 (Label: x)")
    end)
end)

describe("a request", function()
    local function answer(request)
        return library.handle_request(request, TURTLE)
    end

    it("without an id has no answer", function()
        expect(answer({ type = "request", method = "ping" })):same(nil)
        expect(answer({ type = "request", id = 5, method = "ping" })):same(nil)
    end)

    it("that is malformed is answered with what is wrong", function()
        expect(answer({ id = "a" }).error):same("malformed request: `method` is not a string")
        expect(answer({ id = "a", method = "exec-lua" }).error):same(
            "malformed request: `params.code` is not a string"
        )
        expect(exec("return 1", "soon").error):same(
            "malformed request: `params.timeoutMs` is not a number from 1"
        )
    end)

    it("with an unknown method is answered so", function()
        expect(answer({ id = "a", method = "fly" })):same({
            type = "response",
            id = "a",
            ok = false,
            error = "unknown method",
        })
    end)

    it("has its arguments checked", function()
        expect(function()
            library.handle_request("ping", TURTLE)
        end):throws("table expected")
    end)
end)

describe("a chunk", function()
    it("gives its values and its output", function()
        expect(exec("print('hi', 1) write('x') return 1, nil, 'a'").result):same({
            output = "hi\t1\nx",
            returns = { { type = "number", value = 1 }, { type = "nil" }, { type = "string", value = "a" } },
        })
    end)

    it("that does not compile says where", function()
        local response = exec("return )")
        expect(response.ok):same(false)
        expect(response.error):str_match("^mcp%-exec:1:")
        expect(response.output):same("")
    end)

    it("that fails says why, with what it printed", function()
        local response = exec("print('before') error('boom')")
        expect({ response.ok, response.error, response.output }):same({
            false,
            "mcp-exec:1: boom",
            "before\n",
        })
    end)

    it("may wait", function()
        expect(exec("sleep(0.05) return 'woke'").result.returns[1].value):same("woke")
    end)

    it("leaves no globals behind", function()
        exec("leaked_by_spec = 1 _G.leaked_too = 1 string.leaked = 1 load('leaked_three = 1')()")
        expect({ _G.leaked_by_spec, _G.leaked_too, string.leaked, _G.leaked_three }):same({})
    end)

    it("leaves the APIs of others as they were", function()
        local before =
            { os.shutdown, os.reboot, os.queueEvent, coroutine.create, coroutine.wrap, term.current() }
        exec("term.redirect(window.create(term.current(), 1, 1, 2, 2, false)) sleep(0) error('x')")
        local after =
            { os.shutdown, os.reboot, os.queueEvent, coroutine.create, coroutine.wrap, term.current() }
        for index = 1, 6 do
            expect(after[index] == before[index]):same(true)
        end
    end)

    it("may break the methods of strings for itself alone", function()
        local breaks = {
            "methods.rep = nil",
            "methods.rep = methods.lower",
            "methods.rep, methods.mine = nil, 1",
            "getmetatable('').__index = {}",
            "methods.rep = nil getmetatable('').__index = nil",
            "rawset(methods, 'rep', nil) setmetatable(methods, { __index = function() error('x') end })",
        }
        for _, code in ipairs(breaks) do
            local response = exec("local methods = getmetatable('').__index " .. code)
            expect({ code, response.ok, (pcall(string.rep, "x", 2)), ("x"):rep(2) }):same({
                code,
                true,
                true,
                "xx",
            })
        end
        string.mine = nil
        setmetatable(string, nil)
    end)

    it("may erase its globals, and nobody else's", function()
        expect(exec("local g = _G for name in pairs(g) do g[name] = nil end").ok):same(true)
        exec("package.loaded.table.concat = nil require('string').format = nil")
        expect({ type(table.concat), type(string.format) }):same({ "function", "function" })
        expect(exec("os = nil return os").result.returns):same({ { type = "nil" } })
        expect({ type(_G.os), type(_G.print), type(_G._G) }):same({ "table", "function", "table" })
    end)

    it("that shuts the computer down is answered first", function()
        -- handle_request answers, and leaves the rest to the program.
        local response = exec("print('bye') os.shutdown() print('never')")
        expect({ response.ok, response.result.output }):same({ true, "bye\n" })
    end)

    if debug and debug.sethook then
        for name, code in pairs({
            ["a loop"] = "while true do end",
            ["a loop that catches errors"] = "while true do pcall(function() while true do end end) end",
            ["a loop in a coroutine"] = "coroutine.wrap(function() while true do end end)()",
            ["a loop in parallel"] = "parallel.waitForAll(function() while true do end end)",
            ["a loop that prints"] = "while true do print('x') end",
        }) do
            it("that never yields is stopped by its deadline: " .. name, function()
                local started = os.epoch("utc")
                local response = exec(code, 100)
                expect(response.ok):same(false)
                expect(response.error):same(
                    "deadline: still running 1000 ms after its timeout of 100 ms; stopped by the computer"
                )
                expect(os.epoch("utc") - started):between(1090, math.huge)
            end)
        end
    end

    it("that yields is stopped by its deadline, too", function()
        local response = exec("while true do sleep(0.05) end", 100)
        expect(response.error):str_match("^deadline:")
    end)

    it("gives back its coroutines' errors as Lua does", function()
        expect(exec("return pcall(coroutine.create, 5)").result.returns[1].value):same(false)
        expect(exec("return pcall(coroutine.wrap, 5)").result.returns[1].value):same(false)
        local returns =
            exec("local f = coroutine.wrap(function(a, b) return b, a end) return f(1, nil)").result.returns
        expect(returns):same({ { type = "nil" }, { type = "number", value = 1 } })
    end)

    it("with large output is whole", function()
        local result = exec("for i = 1, 20000 do print('123456789') end").result
        expect(#result.output):same(200000)
    end)
end)

describe("the vector of frames", function()
    local file = fs.open(VECTOR, "rb")
    if not file then
        it("is on this computer", function()
            error(("copy docs/link/frames.json to `%s`"):format(VECTOR), 0)
        end)
        return
    end
    local vector, problem = json.decode(file.readAll())
    file.close()

    it("can be read", function()
        expect(problem):same(nil)
        expect(#vector.frames):between(30, 1000)
    end)

    for _, case in ipairs(vector and vector.frames or {}) do
        if case.answer then
            it("has the answer to: " .. case.name, function()
                expect(library.handle_request(json.decode(case.text), TURTLE)):same(case.answer)
            end)
        end
        if case.from == "bridge" and case.valid then
            it("can be read: " .. case.name, function()
                local frame = json.decode(case.text)
                expect(type(frame) == "table" and type(frame.type)):same("string")
            end)
        end
    end

    it("has the hello of this program", function()
        for _, case in ipairs(vector.frames) do
            if case.name == "hello, everything" then
                local hello = { id = 12, label = "base-turtle", version = "0.2.0", token = "s3cret" }
                expect(library.frames.hello(hello)):same(case.text)
            end
        end
    end)

    it("has the parts as this program reads and writes them", function()
        local joiner = library.frames.new_joiner()
        local whole
        for _, case in ipairs(vector.frames) do
            if case.name == "part, first" or case.name == "part, last" then
                whole = joiner:add(json.decode(case.text))
            end
        end
        expect(whole):same(library.frames.response("req-2", "pong from 12 (Label: base-turtle)"))
    end)

    it("has wrong JSON that is refused and thrown by nothing", function()
        for _, case in ipairs(vector.frames) do
            if case.name == "broken JSON" or case.name:find("nan") or case.name == "nothing" then
                expect((json.decode(case.text))):same(nil)
            end
        end
    end)
end)
