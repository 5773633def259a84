-- Specs of apis/mcpcomputer/install.lua. They leave /startup as it was.

local installation = require("/apis/mcpcomputer/install")

local KEPT = "/mcp-computer-spec-startup.lua"

---Runs a spec without the startup file that may be there.
local function apart(body)
    return function()
        if fs.exists(installation.PATH) then
            fs.move(installation.PATH, KEPT)
        end
        local ok, problem = pcall(body)
        fs.delete(installation.PATH)
        if fs.exists(KEPT) then
            fs.move(KEPT, installation.PATH)
        elseif fs.isDir("/startup") and #fs.list("/startup") == 0 then
            fs.delete("/startup")
        end
        if not ok then
            error(problem, 0)
        end
    end
end

---Runs the startup file, and gives the words that it would start.
local function started(with_tabs)
    local words
    local function start(...)
        words = { ... }
    end
    local file = loadfile(installation.PATH, nil, {
        shell = { run = start, openTab = with_tabs and start or nil },
        table = table,
    })
    file()
    return words
end

describe("an installation", function()
    it(
        "starts the program with its URL",
        apart(function()
            local message = installation.install("programs/mcp-computer.lua", { url = "ws://h:1" })
            expect(message):contains("installed")
            expect(started(false)):same({ "/programs/mcp-computer.lua", "ws://h:1" })
            expect(started(true)):same({ "/programs/mcp-computer.lua", "ws://h:1" })
        end)
    )

    it(
        "keeps the token, and the URL when none is given",
        apart(function()
            installation.install("programs/mcp-computer.lua", { url = "ws://h:1", token = "-a\\b'" })
            installation.install("programs/mcp-computer.lua", {})
            expect(started(false)):same({ "/programs/mcp-computer.lua", "ws://h:1", "--token=-a\\b'" })
        end)
    )

    it(
        "refuses a token that the shell would split",
        apart(function()
            for _, token in ipairs({ "a b", 'a"b', "a\nb" }) do
                local arguments = { url = "ws://h:1", token = token }
                local _, problem = installation.install("programs/mcp-computer.lua", arguments)
                expect(problem):contains("spaces or quotes")
            end
            expect(fs.exists(installation.PATH)):same(false)
        end)
    )

    it(
        "needs a URL the first time",
        apart(function()
            local _, problem = installation.install("programs/mcp-computer.lua", {})
            expect(problem):contains("needs a URL the first time")
        end)
    )

    it(
        "is removed again",
        apart(function()
            installation.install("programs/mcp-computer.lua", { url = "ws://h:1" })
            expect(installation.uninstall()):contains("uninstalled")
            expect(fs.exists(installation.PATH)):same(false)
            expect(installation.uninstall()):contains("not installed")
        end)
    )

    it(
        "leaves a stranger's file alone",
        apart(function()
            local file = fs.open(installation.PATH, "w")
            file.write("print('mine')")
            file.close()
            local _, problem = installation.install("programs/mcp-computer.lua", { url = "ws://h:1" })
            expect(problem):contains("this program did not make it")
            _, problem = installation.uninstall()
            expect(problem):contains("not made by this program")
        end)
    )
end)
