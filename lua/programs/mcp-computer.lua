-- Links this computer to an MCP bridge. All that can be tested without a socket is in /apis/libmcpcomputer.lua.

local arguments_of = require("/apis/mcpcomputer/arguments")
local library = require("/apis/libmcpcomputer")
local problems = require("/apis/mcpcomputer/problems")
local screen = require("/apis/mcpcomputer/screen")

---Gives the version of the package; that of the library, where the package's descriptor is not installed.
local function version()
    local named = require("/apis/libversion")().forSelf()
    return named ~= "unknown" and named or library.VERSION
end

---Ends the program with an error that the shell shows.
local function fail(message)
    error(message, 0)
end

local function report(message, problem)
    if problem then
        fail(problem)
    end
    print(message)
end

local function link(arguments)
    if not http or not http.websocket or not http.websocketAsync then
        fail(problems.no_websocket())
    end
    local client = library.new_client({
        url = arguments.url,
        token = arguments.token,
        once = arguments.once,
        version = version(),
        program_env = { shell = shell, multishell = multishell, require = require, package = package },
        show = print,
    })
    local problem = screen.with_memory(function()
        return client:run()
    end)
    if problem then
        fail(problem)
    end
    print("stopped.")
end

local arguments, problem = arguments_of.parse({ ... })
if not arguments then
    fail(problem)
elseif arguments.action == "help" or arguments.action == "usage" then
    print(arguments_of.USAGE)
elseif arguments.action == "version" then
    print("mcp-computer v" .. version())
elseif arguments.action == "install" then
    report(require("/apis/mcpcomputer/install").install(shell.getRunningProgram(), arguments))
elseif arguments.action == "uninstall" then
    report(require("/apis/mcpcomputer/install").uninstall())
else
    link(arguments)
end
