-- Specs of programs/mcp-computer.lua, as far as they need no bridge.

local PROGRAM = "/programs/mcp-computer.lua"

---Runs the program, and gives what it showed.
local function run(...)
    local shown = {}
    local env = setmetatable({
        shell = setmetatable({
            getRunningProgram = function()
                return "programs/mcp-computer.lua"
            end,
        }, { __index = shell }),
        print = function(...)
            shown[#shown + 1] = table.concat({ ... }, "\t")
        end,
    }, { __index = _G })
    env.require, env.package = require("cc.require").make(env, "/programs")
    local program = assert(loadfile(PROGRAM, nil, env))
    local ok, problem = pcall(program, ...)
    return table.concat(shown, "\n"), not ok and problem or nil
end

describe("mcp-computer", function()
    it("shows its version", function()
        for _, word in ipairs({ "--version", "-version", "version" }) do
            expect((run(word))):same("mcp-computer v0.2.0")
        end
    end)

    it("shows its usage", function()
        for _, word in ipairs({ "--help", "-help", "help" }) do
            expect((run(word))):str_match("^usage: mcp%-computer <ws%-url>")
        end
        for line in run("--help"):gmatch("[^\n]+") do
            -- The width of a computer's screen.
            expect(#line):between(1, 51)
        end
        local shown, problem = run()
        expect(shown):str_match("^usage: mcp%-computer <ws%-url>")
        expect(problem):same(nil)
    end)

    it("fails with what is wrong", function()
        local _, problem = run("http://h")
        expect(problem):contains("is not a WebSocket URL")
        _, problem = run("--fly")
        expect(problem):contains("unknown option `--fly`")
    end)

    it("says where to enable WebSocket when there is none", function()
        local real = http.websocket
        http.websocket = nil
        local _, problem = run("ws://127.0.0.1:1")
        http.websocket = real
        expect(problem):contains("HTTP and WebSocket are disabled")
        expect(problem):contains("http.websocket_enabled")
    end)
end)
