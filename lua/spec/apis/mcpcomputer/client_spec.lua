-- Specs of apis/mcpcomputer/client.lua, link.lua, scheduler.lua and run.lua; the bridge is played by the spec.

local new_client = require("/apis/mcpcomputer/client").new
local json = require("/apis/mcpcomputer/json")

local WITH_BYE =
    '{"type":"hello-ok","bridge":"b","capabilities":["exec-lua","cancel","output","parts","bye"]}'
local EVERYTHING = '{"type":"hello-ok","bridge":"b","capabilities":["exec-lua","cancel","output","parts"]}'

---Runs the program and its player until both have ended. Ctrl+T reaches the program alone.
local function drive(program, player, bridge)
    local event, filter = { n = 0 }, nil
    while coroutine.status(program) ~= "dead" do
        local ok, problem = coroutine.resume(program, table.unpack(event, 1, event.n))
        if not ok then
            error(problem, 0)
        end
        if coroutine.status(player) ~= "dead" then
            if filter == nil or event[1] == filter then
                filter = select(2, coroutine.resume(player, table.unpack(event, 1, event.n)))
            end
        elseif not bridge.ends or bridge.failed then
            coroutine.resume(program, "terminate")
        end
        if bridge.terminates then
            bridge.terminates = false
            coroutine.resume(program, "terminate")
        end
        if coroutine.status(program) ~= "dead" then
            event = table.pack(os.pullEvent())
        end
    end
end

---Runs a client, and the other side of its link.
---@param options table `url`, `once`
---@param play fun(bridge: table) plays the bridge: `accept()` waits for a connection, `sent()` for a frame
---@return string|nil problem what the program ended with
---@return string[] lines what it showed
local function with_bridge(options, play)
    local bridge = { frames = {}, connections = {}, lines = {} }
    local real = http.websocketAsync
    http.websocketAsync = function(address)
        local connection = { address = address, closed = false }
        bridge.connections[#bridge.connections + 1] = connection
        connection.socket = {
            send = function(message)
                if connection.closed then
                    error("attempt to use a closed file", 0)
                end
                bridge.frames[#bridge.frames + 1] = message
            end,
            -- As CraftOS-PC does; the game does not tell.
            close = function()
                connection.closed = true
                os.queueEvent("websocket_closed", address, "Timed out", 1006)
            end,
        }
        return true
    end

    local function wait(condition)
        local deadline = os.epoch("utc") + 10000
        while not condition() do
            if os.epoch("utc") > deadline then
                error("the program did not do it within 10 s", 3)
            end
            sleep(0.02)
        end
    end

    function bridge.accept()
        wait(function()
            return bridge.connections[1] ~= nil and not bridge.connections[#bridge.connections].seen
        end)
        bridge.now = bridge.connections[#bridge.connections]
        bridge.now.seen = true
        os.queueEvent("websocket_success", bridge.now.address, bridge.now.socket)
    end

    function bridge.say(text)
        os.queueEvent("websocket_message", bridge.now.address, text, false)
    end

    function bridge.close(reason, code)
        bridge.now.closed = true
        os.queueEvent("websocket_closed", bridge.now.address, reason, code)
    end

    function bridge.terminate()
        bridge.terminates = true
    end

    function bridge.sent()
        wait(function()
            return bridge.frames[1] ~= nil
        end)
        return json.decode(table.remove(bridge.frames, 1))
    end

    function bridge.link(hello_ok)
        bridge.accept()
        expect(bridge.sent().type):same("hello")
        bridge.say(hello_ok or EVERYTHING)
    end

    function bridge.exec(id, code, timeout_ms)
        local params = { code = code, timeoutMs = timeout_ms }
        bridge.say(json.encode({ type = "request", id = id, method = "exec-lua", params = params }))
    end

    local client = new_client({
        url = options.url or "ws://h:1",
        once = options.once or false,
        version = "0.2.0",
        token = options.token,
        hello_ms = options.hello_ms,
        program_env = { shell = shell, require = require },
        show = function(line)
            bridge.lines[#bridge.lines + 1] = line
        end,
    })
    local problem, play_problem
    local program = coroutine.create(function()
        problem = client:run()
    end)
    local player = coroutine.create(function()
        local ok, thrown = pcall(play, bridge)
        play_problem = not ok and thrown or nil
        bridge.failed = not ok
    end)
    local ok, thrown = pcall(drive, program, player, bridge)
    http.websocketAsync = real
    if not ok or play_problem then
        error(play_problem or thrown, 0)
    end
    return problem, bridge.lines, bridge
end

---Plays a bridge, and waits for the program to be ended by it.
local function ending(options, play)
    return with_bridge(options, function(bridge)
        bridge.ends = true
        play(bridge)
    end)
end

describe("the program", function()
    it("shows its status lines, says hello and is stopped", function()
        local problem, lines = with_bridge({ token = "t" }, function(bridge)
            bridge.accept()
            local hello = bridge.sent()
            expect({ hello.type, hello.computerId, hello.version, hello.token }):same({
                "hello",
                os.getComputerID(),
                "0.2.0",
                "t",
            })
            bridge.say('{"type":"hello-ok"}')
            sleep(0.1)
        end)
        expect(problem):same(nil)
        expect(lines):same({
            "mcp-computer v0.2.0 connecting to ws://h:1",
            ("linked as %d (Label: %s)"):format(os.getComputerID(), os.getComputerLabel() or "null"),
            "waiting for requests... Press Ctrl+T to stop.",
        })
    end)

    it("asks the bridge to close the link, and waits for that", function()
        local problem = ending({}, function(bridge)
            bridge.link(WITH_BYE)
            bridge.exec("req-1", "sleep(60)")
            bridge.terminate()
            expect(bridge.sent()):same({ type = "bye" })
            -- Nothing is answered any more, and nothing closed from here.
            bridge.say('{"type":"request","id":"req-2","method":"ping"}')
            sleep(0.1)
            expect({ #bridge.frames, bridge.now.closed }):same({ 0, false })
            bridge.close("bye", 1000)
        end)
        expect(problem):same(nil)
    end)

    it("closes the link itself when it is stopped a second time", function()
        local problem = ending({}, function(bridge)
            bridge.link(WITH_BYE)
            bridge.terminate()
            expect(bridge.sent()):same({ type = "bye" })
            bridge.terminate()
        end)
        expect(problem):same(nil)
    end)

    it("asks no bridge that did not agree to it", function()
        local _, _, bridge = ending({}, function(bridge)
            bridge.link()
            bridge.terminate()
        end)
        expect({ #bridge.frames, bridge.now.closed }):same({ 0, true })
    end)

    it("answers pings while chunks run", function()
        with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec("req-1", "sleep(0.3) return 1")
            bridge.say('{"type":"request","id":"req-2","method":"ping"}')
            expect(bridge.sent().id):same("req-2")
            expect(bridge.sent().id):same("req-1")
        end)
    end)

    it("ignores what is malformed, and answers where there is an id", function()
        with_bridge({}, function(bridge)
            bridge.link()
            for _, text in ipairs({
                "",
                "{",
                "[1]",
                "5",
                '{"type":"fly","id":"a"}',
                '{"type":"request"}',
                '{"x":1}',
            }) do
                bridge.say(text)
            end
            bridge.say('{"type":"request","id":"req-1"}')
            expect(bridge.sent()):same({
                type = "response",
                id = "req-1",
                ok = false,
                error = "malformed request: `method` is not a string",
            })
            bridge.say('{"id":"req-2"}')
            expect(bridge.sent().error):same("malformed frame: it has no `type`")
        end)
    end)

    it("answers a request that it cannot read", function()
        with_bridge({}, function(bridge)
            bridge.link()
            local deep = ("["):rep(70) .. ("]"):rep(70)
            local frame = '{"type":"request","id":"req-1","method":"call-tool","params":{"arguments":%s}}'
            bridge.say(frame:format(deep))
            local answer = bridge.sent()
            expect({ answer.id, answer.ok }):same({ "req-1", false })
            expect(answer.error):contains("the request cannot be read")
            expect(answer.error):contains("more than 64 levels")
            bridge.say(frame:gsub("req%-1", ("b"):rep(257)):format(deep))
            bridge.say(frame:gsub("req%-1", ("a"):rep(256)):format(deep))
            expect(bridge.sent().id):same(("a"):rep(256))
        end)
    end)

    it("frees what a cancel leaves half come", function()
        with_bridge({}, function(bridge)
            bridge.link()
            for index = 1, 100 do
                bridge.say(('{"type":"part","id":"req-%d","seq":0,"last":false,"data":"x"}'):format(index))
                bridge.say(('{"type":"cancel","id":"req-%d"}'):format(index))
            end
            local whole = '{"type":"request","id":"req-200","method":"ping"}'
            local part = { type = "part", id = "req-200", seq = 0, last = true, data = whole }
            bridge.say(json.encode(part))
            local answer = bridge.sent()
            expect({ answer.id, answer.ok }):same({ "req-200", true })
        end)
    end)

    it("runs a request once, however often it comes", function()
        with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec("req-1", "return 1")
            bridge.exec("req-1", "return 1")
            bridge.exec("req-2", "return 2")
            expect(bridge.sent().id):same("req-1")
            expect(bridge.sent().id):same("req-2")
        end)
    end)

    it("cancels a chunk", function()
        with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec("req-1", "print('x') while true do sleep(1) end")
            bridge.say('{"type":"cancel","id":"req-1"}')
            local response = bridge.sent()
            expect({ response.error, response.output }):same({ "cancelled by the bridge", "x\n" })
            bridge.say('{"type":"cancel","id":"req-9"}')
            bridge.say('{"type":"request","id":"req-2","method":"ping"}')
            expect(bridge.sent().id):same("req-2")
        end)
    end)

    it("leaves a chunk that waits to the bridge's cancel, also when that is late", function()
        with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec("req-1", "sleep(60)", 100)
            sleep(1.5)
            bridge.say('{"type":"cancel","id":"req-1"}')
            expect(bridge.sent().error):same("cancelled by the bridge")
        end)
    end)

    it("ends a chunk that waits by its deadline where no cancel was agreed", function()
        with_bridge({}, function(bridge)
            bridge.link('{"type":"hello-ok","bridge":"b"}')
            bridge.exec("req-1", "sleep(60)", 100)
            expect(bridge.sent().error):contains(
                "deadline: still running 1000 ms after its timeout of 100 ms"
            )
        end)
    end)

    it("runs sixteen chunks at once, and refuses the next", function()
        with_bridge({}, function(bridge)
            bridge.link()
            for index = 1, 17 do
                bridge.exec("req-" .. index, "sleep(0.3) return " .. index)
            end
            local response = bridge.sent()
            expect({ response.id, response.error }):same({
                "req-17",
                "16 chunks are running already; try again when one has ended",
            })
            for _ = 1, 16 do
                expect(bridge.sent().ok):same(true)
            end
        end)
    end)

    it("sends output while a chunk runs, and none for a quick one", function()
        with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec("req-1", "print('quick')")
            expect(bridge.sent().type):same("response")
            bridge.exec("req-2", "print('a') sleep(0.6) print('b')")
            expect(bridge.sent()):same({ type = "output", id = "req-2", data = "a\n" })
            expect(bridge.sent().result.output):same("a\nb\n")
        end)
    end)

    it("sends nothing that was not agreed", function()
        with_bridge({}, function(bridge)
            bridge.link('{"type":"hello-ok"}')
            bridge.exec("req-1", "print('a') sleep(0.6) return ('x'):rep(300000)")
            local response = bridge.sent()
            expect(response.type):same("response")
            expect(response.result.returns[1].repr):contains("[cut: 300000 bytes in all]")
        end)
    end)

    it("sends and takes parts where they were agreed", function()
        with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec("req-1", "return ('x'):rep(300000)")
            local joined, seq = {}, 0
            repeat
                local part = bridge.sent()
                expect({ part.type, part.seq }):same({ "part", seq })
                joined[#joined + 1], seq = part.data, seq + 1
            until part.last
            expect(#json.decode(table.concat(joined)).result.returns[1].value):same(300000)

            bridge.say(
                '{"type":"part","id":"req-2","seq":0,"last":false,"data":"{\\"type\\":\\"request\\",\\"id\\":"}'
            )
            bridge.say(
                '{"type":"part","id":"req-2","seq":1,"last":true,"data":"\\"req-2\\",\\"method\\":\\"ping\\"}"}'
            )
            expect(bridge.sent().id):same("req-2")
            bridge.say('{"type":"part","id":"req-3","seq":1,"last":true,"data":""}')
            expect(bridge.sent().error):same("part 0 is missing: part 1 came instead")
        end)
    end)

    it("keeps events of the link from chunks, and gives them all others", function()
        with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec(
                "req-1",
                "local e repeat e = { os.pullEvent() } until e[1] ~= 'timer' return e[1], e[2]"
            )
            bridge.say('{"type":"request","id":"req-2","method":"ping"}')
            expect(bridge.sent().id):same("req-2")
            os.queueEvent("websocket_message", "ws://elsewhere", "hi")
            local returns = bridge.sent().result.returns
            expect({ returns[1].value, returns[2].value }):same({ "websocket_message", "ws://elsewhere" })
        end)
    end)

    it("says hello again when its label has changed", function()
        local label = os.getComputerLabel()
        with_bridge({}, function(bridge)
            bridge.link()
            sleep(0.2)
            os.setComputerLabel("spec-label")
            local hello = bridge.sent()
            os.setComputerLabel(label)
            expect({ hello.type, hello.computerLabel }):same({ "hello", "spec-label" })
            bridge.say(EVERYTHING)
        end)
    end)
end)

describe("a link", function()
    it("that is lost is made anew, with its chunks gone", function()
        local problem, lines = with_bridge({}, function(bridge)
            bridge.link()
            bridge.exec("req-1", "sleep(30)")
            sleep(0.1)
            bridge.close("going", 1001)
            bridge.link()
            bridge.say('{"type":"request","id":"req-1","method":"ping"}')
            expect(bridge.sent().result):str_match("^pong from ")
        end)
        expect(problem):same(nil)
        expect(lines[4]):same("link lost: going (code 1001)")
        expect(lines[5]):str_match("^connecting again in 1%.%d s$")
        expect(lines[6]):str_match("^linked as ")
    end)

    it("that was replaced ends the program", function()
        local problem, _, bridge = ending({}, function(bridge)
            bridge.link()
            sleep(0.1)
            bridge.close("replaced", 4000)
        end)
        expect(problem):str_match("^replaced: another link took over the id %d+")
        expect(#bridge.connections):same(1)
    end)

    it("ends the program with --once when it is lost", function()
        local problem = ending({ once = true }, function(bridge)
            bridge.link()
            sleep(0.1)
            bridge.close("", 1006)
        end)
        expect(problem):same("link lost: closed (code 1006)")
    end)

    it("that is refused ends the program with the bridge's words", function()
        local problem = ending({}, function(bridge)
            bridge.accept()
            bridge.sent()
            bridge.say('{"type":"hello-error","error":"the token is wrong"}')
            bridge.close("the token is wrong", 1008)
        end)
        expect(problem):contains("the bridge refused this computer: the token is wrong")
        expect(problem):contains("--token")
    end)

    it("that is not permitted ends the program", function()
        local problem = ending({ url = "ws://192.168.0.1" }, function(bridge)
            sleep(0.1)
            os.queueEvent("websocket_failure", bridge.connections[1].address, "Domain not permitted")
        end)
        expect(problem):contains("Domain not permitted")
    end)

    it("without hello-ok in time is an error", function()
        local problem, _, bridge = ending({ once = true, hello_ms = 500 }, function(bridge)
            bridge.accept()
        end)
        expect(problem):contains("no hello-ok within 0.5 s")
        expect(bridge.connections[1].closed):same(true)
    end)

    it("is closed when the program is stopped", function()
        local _, _, bridge = with_bridge({}, function(bridge)
            bridge.link()
            sleep(0.1)
        end)
        expect(bridge.connections[1].closed):same(true)
    end)

    it("takes no event of another connection for its own", function()
        with_bridge({}, function(bridge)
            bridge.link()
            os.queueEvent("websocket_closed", "ws://h:1", "replaced", 4000)
            os.queueEvent("websocket_closed", "ws://h:1#mcp-computer-1-1", "replaced", 4000)
            bridge.say('{"type":"request","id":"req-1","method":"ping"}')
            expect(bridge.sent().id):same("req-1")
        end)
    end)
end)
