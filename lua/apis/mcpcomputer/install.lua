-- Starting at boot: a file of its own in /startup/, which the computer runs besides any other startup.

local shown_url = require("/apis/mcpcomputer/problems").shown_url

local DIRECTORY = "/startup"
local PATH = DIRECTORY .. "/mcp-computer.lua"

-- Stands in the first line of the file: only such a file is written over or removed.
local MARK = "-- Made by `mcp-computer --install`; `mcp-computer --uninstall` removes it."

-- What `shell.run` and `shell.openTab` would split a word at.
local NOT_FOR_SHELL = '[%s%c"]'

local TEMPLATE = [[
%s
local words = { %s }
if shell.openTab then
    -- With tabs the prompt stays free.
    shell.openTab(table.unpack(words))
else
    shell.run(table.unpack(words))
end
]]

---Gives the words of the file that is there, and whether it is ours.
local function installed()
    local file = fs.exists(PATH) and not fs.isDir(PATH) and fs.open(PATH, "r")
    if not file then
        return nil, false
    end
    local source = file.readAll() or ""
    file.close()
    return source:match("local words = (%b{})"), source:sub(1, #MARK) == MARK
end

---Gives the arguments of the installation that is there.
local function installed_arguments()
    local words, ours = installed()
    if not ours or not words then
        return {}
    end
    local list = textutils.unserialize(words)
    local arguments = {}
    for index, word in ipairs(type(list) == "table" and list or {}) do
        if index == 2 then
            arguments.url = word
        elseif word:find("^%-%-token=") then
            arguments.token = word:sub(#"--token=" + 1)
        elseif word == "--token" then
            -- As an earlier version wrote it.
            arguments.token = list[index + 1]
        end
    end
    return arguments
end

---Makes the program start at boot.
---@param program string the path of the program
---@param arguments Arguments
---@return string|nil message
---@return string|nil problem
local function install(program, arguments)
    if fs.exists(DIRECTORY) and not fs.isDir(DIRECTORY) then
        return nil,
            "`/startup` is a file\nhint: `mv /startup /startup.lua` (it still runs at boot) and install again"
    end
    local words, ours = installed()
    if (words or fs.exists(PATH)) and not ours then
        return nil, ("`%s` exists, and this program did not make it\nhint: move it away first"):format(PATH)
    end
    local before = installed_arguments()
    local url = arguments.url or before.url
    if not url then
        return nil,
            "`--install` needs a URL the first time\nhint: `mcp-computer --install ws://192.168.1.20:3001`"
    end
    local list = { ("%q"):format("/" .. fs.combine(program, "")), ("%q"):format(url) }
    local token = arguments.token or before.token
    if (token and token:find(NOT_FOR_SHELL)) or url:find(NOT_FOR_SHELL) then
        return nil,
            "the shell cannot start a program with spaces or quotes in its URL or token\nhint: use others"
    elseif token then
        list[#list + 1] = ("%q"):format("--token=" .. token)
    end
    local file, problem = fs.open(PATH, "w")
    if not file then
        return nil, ("failed to write `%s`: %s"):format(PATH, tostring(problem))
    end
    file.write(TEMPLATE:format(MARK, table.concat(list, ", ")))
    file.close()
    return ("installed: this computer links to %s at every boot (%s)"):format(shown_url(url), PATH)
end

---Makes the program start at boot no more.
---@return string|nil message
---@return string|nil problem
local function uninstall()
    local _, ours = installed()
    if not fs.exists(PATH) then
        return ("not installed: there is no `%s`"):format(PATH)
    elseif not ours then
        return nil, ("`%s` is not made by this program, and stays"):format(PATH)
    end
    fs.delete(PATH)
    return ("uninstalled: `%s` is removed"):format(PATH)
end

return { install = install, uninstall = uninstall, PATH = PATH }
