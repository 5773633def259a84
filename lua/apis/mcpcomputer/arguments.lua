-- The program's command line, read into what it asks for.

local USAGE = [[
usage: mcp-computer <ws-url> [--token T] [--once]
       mcp-computer -url <ws-url>
       mcp-computer --install [ws-url] [--token T]
       mcp-computer --uninstall
       mcp-computer --version | --help

Links this computer to an MCP bridge, for example
  mcp-computer ws://192.168.1.20:3001
Whoever reaches that bridge can then run Lua here.

  --token T        the bridge's link token
  --once           end when the link is lost
  --install [url]  start at boot, by /startup/
  --uninstall      do not start at boot any more]]

local HELP = { ["--help"] = true, ["-help"] = true, help = true, ["-h"] = true }
local VERSION = { ["--version"] = true, ["-version"] = true, version = true }

---Says what is wrong with a URL.
---@param url string
---@return string|nil problem
local function url_problem(url)
    local scheme, rest = url:match("^([%a][%w+.-]*)://(.*)$")
    if not scheme then
        return ("`%s` is not a WebSocket URL\nhint: it begins with `ws://` or `wss://`: `ws://%s`"):format(
            url,
            url
        )
    end
    local lower = scheme:lower()
    if lower ~= "ws" and lower ~= "wss" then
        local instead = lower == "https" and "wss" or "ws"
        return ("`%s` is not a WebSocket URL\nhint: use `%s://%s`"):format(url, instead, rest)
    elseif url:find("[%s%c]") then
        return ("`%s` has a space in it"):format(url)
    end
    local authority = rest:match("^[^/?#]*")
    local host, port = authority:match("^(%[[%x:.]+%])(.*)$")
    if not host then
        host, port = authority:match("^([^:]*)(.*)$")
    end
    if host == "" then
        return ("`%s` names no host\nhint: it looks like `ws://192.168.1.20:3001`"):format(url)
    elseif port ~= "" then
        local number = tonumber(port:match("^:(%d+)$"))
        if not number or number < 1 or number > 65535 then
            return ("`%s` has a wrong port\nhint: a port is a number from 1 to 65535"):format(url)
        end
    end
    return nil
end

---@class Arguments
---@field action "link"|"help"|"version"|"usage"|"install"|"uninstall"
---@field url string|nil
---@field token string|nil
---@field once boolean

---Reads the value that follows an option.
local function value_after(words, index)
    local value = words[index + 1]
    if value == nil or value:find("^%-") then
        local hint = words[index] == "--token"
            and "\nhint: one that begins with a dash is given as `--token=T`"
        return nil, ("`%s` needs a value%s"):format(words[index], value and hint or "")
    end
    return value
end

---Reads the command line.
---@param words string[]
---@return Arguments|nil
---@return string|nil problem
local function parse(words)
    local arguments = { action = "link", once = false }
    local index, problem = 1, nil
    while index <= #words do
        local word = words[index]
        if HELP[word] then
            return { action = "help", once = false }
        elseif VERSION[word] then
            return { action = "version", once = false }
        elseif word == "-url" or word == "--url" then
            arguments.url, problem = value_after(words, index)
            index = index + 1
        elseif word == "--token" then
            arguments.token, problem = value_after(words, index)
            index = index + 1
        elseif word:find("^%-%-token=.") then
            -- A token may begin with a dash.
            arguments.token = word:sub(#"--token=" + 1)
        elseif word == "--once" then
            arguments.once = true
        elseif word == "--install" or word == "--uninstall" then
            arguments.action = word:sub(3)
        elseif word:find("^%-") then
            problem = ("unknown option `%s`\nhint: `mcp-computer --help` names them all"):format(word)
        elseif arguments.url then
            problem = ("one URL is enough: `%s` came after `%s`"):format(word, arguments.url)
        else
            arguments.url = word
        end
        if problem then
            return nil, problem
        end
        index = index + 1
    end
    if arguments.action == "link" and not arguments.url then
        arguments.action = "usage"
    elseif arguments.url then
        problem = url_problem(arguments.url)
        if problem then
            return nil, problem
        end
    end
    return arguments
end

return { USAGE = USAGE, parse = parse, url_problem = url_problem }
