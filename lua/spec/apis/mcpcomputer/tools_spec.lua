-- Specs of apis/mcpcomputer/tools.lua, tool_call.lua and tool_result.lua: handlers are kept, called and answered.

local json = require("/apis/mcpcomputer/json")
local new_run = require("/apis/mcpcomputer/run").new
local tools = require("/apis/mcpcomputer/tools")

---Runs a call to its end, with the events of the spec. `meanwhile` is called before each of its steps.
local function run_call(params, meanwhile, room)
    local run = new_run({
        id = "req-1",
        room = room,
        tool = params.tool,
        timeout_ms = params.timeout_ms,
        wants_output = false,
        program_env = { shell = shell, require = require, package = package },
        clock = { slice_start = os.epoch("utc") },
    })
    run:resume()
    while not run.answer do
        if meanwhile then
            meanwhile(run, params.tool)
        end
        local reason = run:overdue()
        if reason then
            run:stop(reason)
        else
            run:deliver(table.pack(os.pullEvent()))
        end
    end
    return json.decode(run.answer)
end

---Keeps a handler and calls it.
---@return table result
---@return table[] notes
local function call(code, options)
    options = options or {}
    local handlers, notes = tools.new_handlers(), {}
    local kept = tools.request({
        id = "req-0",
        method = "keep-handler",
        params = { handler = "h", name = "tools/x.lua", code = code, modules = options.modules },
    }, handlers)
    expect(json.decode(kept).ok):same(true)
    local _, params = tools.request(
        {
            id = "req-1",
            method = "call-tool",
            params = {
                handler = "h",
                method = options.method or "call",
                arguments = options.arguments,
                client = options.client,
                timeoutMs = options.timeout_ms,
            },
        },
        handlers,
        function(note)
            notes[#notes + 1] = json.decode(note)
        end
    )
    local answer = run_call(params, options.meanwhile, options.room)
    return answer.result or answer, notes
end

local function text(result)
    return result.content[1].text
end

---Runs a handler as a job, whose questions `meanwhile` can see.
---@return table result
local function job(code, client, meanwhile)
    local handlers = tools.new_handlers()
    local file = { handler = "h", name = "tools/x.lua", code = code }
    tools.request({ id = "req-0", method = "keep-handler", params = file }, handlers)
    local tool = tools.call_of("job-a", { handler = "h", method = "call", client = client }, handlers)
    return run_call({ tool = tool }, meanwhile).result
end

describe("a handler", function()
    it("that is not kept is unknown, and nothing runs", function()
        local answer, params = tools.request({
            id = "req-1",
            method = "call-tool",
            params = { handler = "h", method = "call" },
        }, tools.new_handlers())
        expect(json.decode(answer)):same({
            type = "response",
            id = "req-1",
            ok = false,
            error = "unknown handler",
        })
        expect(params):same(nil)
    end)

    it("gets its arguments and the mcp table, which is a global too", function()
        local code =
            "return { call = function(arguments, mcp_table) return arguments.a .. tostring(mcp == mcp_table) end }"
        expect(text(call(code, { arguments = { a = "x" } }))):same("xtrue")
    end)

    it("starts anew with each call", function()
        local code =
            "count = (count or 0) + 1 local here = count return { call = function() return here end }"
        for _ = 1, 2 do
            expect(text(call(code))):same("1")
        end
        expect(_G.count):same(nil)
    end)

    it("requires what came with it before what the computer has", function()
        local modules = {
            words = {
                name = "tools/words.lua",
                code = "local name = ... return { name = name, deep = require('lib.deep') }",
            },
            ["lib.deep"] = { name = "tools/lib/deep.lua", code = "return 7" },
        }
        local code = [[
            local words, again = require("words"), require("words")
            return { call = function()
                return words.name .. words.deep .. tostring(words == again) .. type(require("cc.expect"))
            end }
        ]]
        expect(text(call(code, { modules = modules }))):same("words7truetable")
    end)

    it("that requires itself in a circle is told", function()
        local modules = { a = { name = "a.lua", code = "return require('a')" } }
        local result = call("require('a') return {}", { modules = modules })
        expect(result.isError):same(true)
        expect(text(result)):contains("loop or previous error loading module 'a'")
    end)

    it("that is too much makes room for itself", function()
        local handlers = tools.new_handlers()
        local code = "--" .. ("x"):rep(1024 * 1024) .. "\nreturn {}"
        for index = 1, 5 do
            local params = { handler = "h" .. index, name = "x", code = code }
            tools.request({ id = "r", method = "keep-handler", params = params }, handlers)
        end
        expect(handlers:get("h1")):same(nil)
        expect(handlers:get("h5") ~= nil):same(true)
    end)

    it("that is malformed is refused", function()
        local function refused(method, params)
            return json.decode(
                (tools.request({ id = "r", method = method, params = params }, tools.new_handlers()))
            ).error
        end
        expect(refused("keep-handler", { handler = "h", name = "x" })):contains("malformed request")
        expect(refused("keep-handler", { handler = "h", name = "x", code = "", modules = { a = 1 } })):contains(
            "no file"
        )
        expect(refused("call-tool", { handler = "h" })):contains("malformed request")
        expect(refused("call-tool", { handler = "h", method = "m", arguments = 1 })):contains("no table")
        expect(refused("call-tool", { handler = "h", method = "m", timeoutMs = 0 })):contains("timeoutMs")
    end)
end)

describe("what a handler returns", function()
    local function returned(expression)
        return call("return { call = function() return " .. expression .. " end }")
    end

    it("is text where it is a scalar", function()
        expect(text(returned('"hi"'))):same("hi")
        expect(text(returned("1.5"))):same("1.5")
        expect(text(returned("false"))):same("false")
    end)

    it("passes as it is where it has content", function()
        local result = returned(
            "{ content = { { type = 'x', y = { 1, 2 } } }, structuredContent = { a = 1 }, isError = true }"
        )
        expect(result):same({
            content = { { type = "x", y = { 1, 2 } } },
            structuredContent = { a = 1 },
            isError = true,
        })
    end)

    it("may hold an empty list", function()
        local handlers, code =
            tools.new_handlers(),
            "return { call = function() return { structuredContent = { a = textutils.empty_json_array } } end }"
        handlers:keep("h", { name = "x", code = code }, {})
        local _, params = tools.request(
            { id = "r", method = "call-tool", params = { handler = "h", method = "call" } },
            handlers
        )
        local run = new_run({
            id = "r",
            tool = params.tool,
            wants_output = false,
            program_env = { require = require },
            clock = { slice_start = os.epoch("utc") },
        })
        run:resume()
        expect(run.answer):contains('{"a":[]}')
    end)

    it("is an error that says why where it is nothing to return", function()
        for expression, says in pairs({
            print = "the handler returned a function",
            ["{}"] = "without `content`",
            ["{ content = { print } }"] = "cannot write a function as JSON",
            ["(function() local t = {} t.content = t return t end)()"] = "more than 64 levels",
        }) do
            local result = returned(expression)
            expect(result.isError):same(true)
            expect(text(result)):contains(says)
        end
    end)

    it("is refused where it is too large", function()
        local result = call("return { call = function() return ('x'):rep(5000) end }", { room = 4096 })
        expect(result.isError):same(true)
        expect(text(result)):str_match("^the handler's result has %d+ bytes; %d+ is the most$")
    end)

    it("is the error where it throws", function()
        local result = call("return { call = function() error('boom') end }")
        expect(result):same({
            content = { { type = "text", text = "tools/x.lua:1: boom" } },
            isError = true,
        })
    end)

    it("counts for nothing where there is no such function", function()
        local result = call("return {}", { method = "fly" })
        expect(text(result)):same("`tools/x.lua` returns no table with a function `fly`")
    end)

    it("is no answer where the file cannot be compiled", function()
        local answer = call("return {")
        expect(answer.ok):same(false)
        expect(answer.error):contains("tools/x.lua:1:")
    end)
end)

describe("while a handler runs", function()
    it("progress and logs go out at once", function()
        local _, notes = call([[
            return { call = function(_, mcp)
                mcp.progress(1, 4, "one")
                mcp.log("info", "fuel", 7)
                mcp.log("error", { fuel = 0 })
                mcp.progress(2)
            end }
        ]])
        expect(notes):same({
            { type = "progress", id = "req-1", data = { progress = 1, total = 4, message = "one" } },
            { type = "log", id = "req-1", data = { level = "info", data = "fuel\t7" } },
            { type = "log", id = "req-1", data = { level = "error", data = { fuel = 0 } } },
            { type = "progress", id = "req-1", data = { progress = 2 } },
        })
    end)

    it("a flood of notes is dropped until it yields", function()
        local _, notes = call([[
            return { call = function(_, mcp)
                for index = 1, 1000 do mcp.progress(index) end
                sleep(0)
                mcp.progress(1001)
            end }
        ]])
        expect(notes[#notes].data.progress):same(1001)
        expect(#notes):between(2, 100)
    end)

    it("wrong arguments are the handler's error", function()
        for code, says in pairs({
            ["mcp.progress('x')"] = "number expected",
            ["mcp.log('loud', 'x')"] = "`loud` is no level",
            ["mcp.log('info', { print })"] = "cannot write a function as JSON",
            ["mcp.elicit('x')"] = "table expected",
        }) do
            local result = call("return { call = function(_, mcp) " .. code .. " end }")
            expect(result.isError):same(true)
            expect(text(result)):contains(says)
        end
    end)

    it("it can ask the client, and waits for the answer", function()
        local asked
        local result, notes = call(
            [[return { call = function(_, mcp)
                local first = mcp.elicit({ message = "one?" })
                local second = mcp.sample({ messages = {} })
                return first.action .. second.text
            end }]],
            {
                meanwhile = function(_, tool)
                    asked = (asked or 0) + 1
                    tool:take_answer({ ask = asked, ok = true, result = { action = "accept", text = "hi" } })
                end,
            }
        )
        expect(text(result)):same("accepthi")
        expect(notes[1].data):same({
            ask = 1,
            method = "elicitation/create",
            more = false,
            params = { message = "one?" },
        })
        expect(notes[2].data.method):same("sampling/createMessage")
        expect(notes[2].data.more):same(false)
    end)

    it("what it asks at once says that another question follows, but for the last", function()
        local _, notes = call(
            [[return { call = function(_, mcp)
                local function ask() mcp.roots() end
                parallel.waitForAll(ask, ask, ask)
                mcp.roots()
            end }]],
            {
                meanwhile = function(_, tool)
                    for ask = 1, 4 do
                        tool:take_answer({ ask = ask, ok = true, result = {} })
                    end
                end,
            }
        )
        local more = {}
        for index, note in ipairs(notes) do
            more[index] = note.data.more
        end
        expect(more):same({ true, true, false, false })
    end)

    it("a question has the name that it is given", function()
        local _, notes =
            call("return { call = function(_, mcp) mcp.roots('here') mcp.elicit({}, 'there') end }", {
                meanwhile = function(_, tool)
                    tool:take_answer({ ask = 1, ok = true, result = {} })
                    tool:take_answer({ ask = 2, ok = true, result = {} })
                end,
            })
        expect({ notes[1].data.key, notes[1].data.method }):same({ "here", "roots/list" })
        expect(notes[2].data.key):same("there")
    end)

    it("it knows what the client can be asked for", function()
        local code =
            "return { call = function(_, mcp) return tostring(mcp.can('roots')) .. tostring(mcp.can('sampling')) end }"
        expect(text(call(code, { client = { "roots" } }))):same("truefalse")
        expect(text(call(code))):same("falsefalse")
    end)

    it("an answer that is none is its error", function()
        local result = call("return { call = function(_, mcp) mcp.elicit({}) end }", {
            meanwhile = function(_, tool)
                tool:take_answer({ ask = 1, ok = false, error = "not now" })
            end,
        })
        expect(result.isError):same(true)
        expect(text(result)):same("tools/x.lua:1: cannot ask the client: not now")
    end)

    it("as a job it keeps its questions until they were answered, each under a key of its own", function()
        local seen = {}
        local result = job(
            [[return { call = function(_, mcp)
                local one = mcp.elicit({ message = "one?" }, "k").action
                return one .. mcp.elicit({}, "k").action .. mcp.elicit({}).action
            end }]],
            { "elicitation" },
            function(_, tool)
                local open = tool:open_questions()
                if open then
                    local asked = json.decode(open)
                    expect(#asked):same(1)
                    seen[#seen + 1] = asked[1].key
                    tool:take_answer({ ask = asked[1].ask, ok = true, result = { action = "yes" } })
                    expect(tool:open_questions()):same(nil)
                end
            end
        )
        expect(text(result)):same("yesyesyes")
        expect(seen):same({ "k", "k-2", "ask" })
    end)

    it("as a job it cannot ask for what its client cannot do, nor for too much at once", function()
        local asks = "return { call = function(_, mcp) mcp.elicit({}) end }"
        local words = "cannot ask the client: this client has no `elicitation`"
        expect(text(job(asks, { "roots" }))):same("tools/x.lua:1: " .. words)
        expect(text(job(asks))):same("tools/x.lua:1: " .. words)
        local all = [[return { call = function(_, mcp)
            local calls, failed = {}, 0
            for n = 1, COUNT do
                calls[n] = function()
                    local ok, problem = pcall(mcp.elicit, { message = ("x"):rep(SIZE) })
                    failed = failed + (ok and 0 or 1)
                    if not ok then os.queueEvent("refused") end
                end
            end
            parallel.waitForAll(table.unpack(calls))
            return tostring(failed)
        end }]]
        local function answered(_, tool)
            local open = tool:open_questions()
            for _, asked in ipairs(open and json.decode(open) or {}) do
                tool:take_answer({ ask = asked.ask, ok = true, result = {} })
            end
        end
        local function failures(count, size)
            local code = all:gsub("COUNT", count):gsub("SIZE", size)
            return text(job(code, { "elicitation" }, answered))
        end
        expect(failures(32, 1)):same("0")
        expect(failures(40, 1)):same("8")
        expect(failures(3, 60000)):same("1")
    end)

    it("it can see that it was cancelled", function()
        local result = call(
            "return { call = function(_, mcp) while not mcp.cancelled() do sleep(0) end return 'tidy' end }",
            {
                meanwhile = function(run)
                    run:cancel("cancelled by the bridge")
                end,
            }
        )
        expect(text(result)):same("tidy")
    end)

    it("it is stopped at once where it does not ask", function()
        local answer = call("return { call = function() while true do sleep(0) end end }", {
            meanwhile = function(run)
                run:cancel("cancelled by the bridge")
                os.queueEvent("wake")
            end,
        })
        expect(answer.error):same("cancelled by the bridge")
    end)

    it("its deadline ends it", function()
        local answer = call("return { call = function() while true do sleep(0) end end }", { timeout_ms = 1 })
        expect(answer.error):contains("deadline: still running")
    end)
end)
