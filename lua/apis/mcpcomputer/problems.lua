-- What the program says when something is wrong: what happened, and on a line of its own what to change.

local CONFIG = "`computercraft-server.toml` (CraftOS-PC: `config/global.json`)"

local PRIVATE_HOSTS = {
    "^localhost$",
    "^127%.",
    "^10%.",
    "^192%.168%.",
    "^169%.254%.",
    "^172%.1[6-9]%.",
    "^172%.2%d%.",
    "^172%.3[01]%.",
    "^%[::1%]$",
    "^%[f[cde]",
}

---Gives the host of a URL.
local function host_of(url)
    local authority = url:match("^%a+://([^/?#]*)") or ""
    return authority:match("^%[[^%]]*%]") or authority:match("^[^:]*")
end

---Gives a URL as it is shown: without the token, which everyone could read on the screen.
---@param url string
---@return string
local function shown_url(url)
    url = url:gsub("([?&]token=)[^&#]*", "%1...")
    return (url:gsub("^(%a+://)[^/?#]*@", "%1"))
end

---Says which port was probably meant, where the URL is that of something else than a bridge's link port.
local function probable_port(url)
    local port = url:match("^%a+://[^/?#]*:(%d+)")
    local path = url:match("^%a+://[^/?#]*([^?#]*)") or ""
    if port == "3000" or path == "/mcp" then
        return "\nhint: this is where MCP clients connect; computers connect to the link port, probably `"
            .. ("ws://%s:3001`"):format(host_of(url))
    end
    return "\nhint: something else than a bridge's link port answers there; that has port 3001 unless "
        .. "`CC_LINK_PORT` was set"
end

local function is_private(url)
    local host = host_of(url):lower()
    for _, pattern in ipairs(PRIVATE_HOSTS) do
        if host:find(pattern) then
            return true
        end
    end
    return false
end

---The computer has no WebSocket at all.
---@return string
local function no_websocket()
    return "HTTP and WebSocket are disabled on this computer\n"
        .. "hint: enable `http.enabled` and `http.websocket_enabled` in "
        .. CONFIG
        .. ", CC:Tweaked's configuration on the server"
end

---A connection did not come to be.
---@param url string
---@param reason string
---@return string message
---@return boolean hopeless whether trying again cannot help
local function cannot_connect(url, reason)
    local message = ("cannot connect to %s: %s"):format(shown_url(url), reason)
    local lower = reason:lower()
    if lower:find("not permitted") or lower:find("denied") then
        local host = host_of(url)
        if is_private(url) then
            message = message
                .. ("\nhint: the game denies private addresses; in %s, put a rule for host `%s`"):format(
                    CONFIG,
                    host
                )
                .. " with action `allow` above the one for `$private`"
        else
            message = message .. ("\nhint: allow the host `%s` under `http.rules` in %s"):format(host, CONFIG)
        end
        return message, true
    elseif lower:find("websocket") and lower:find("disabled") then
        return message .. "\nhint: enable `http.websocket_enabled` in " .. CONFIG, true
    elseif lower:find("malformed") or lower:find("invalid scheme") or lower:find("must specify http") then
        return message .. "\nhint: the URL looks like `ws://192.168.1.20:3001`", true
    elseif lower:find("forbidden") or lower:find("403") or lower:find("unauthorized") then
        return message .. "\nhint: the bridge wants another token; give it with `--token T`", true
    elseif lower:find("service unavailable") or lower:find("503") then
        return message .. "\nhint: the bridge is full; this program tries again", false
    elseif lower:find("refused") or lower:find("could not connect") then
        return message .. "\nhint: is the bridge running there, and is this its link port?", false
    elseif
        lower:find("upgrade")
        or lower:find("handshake")
        or lower:find("40%d")
        or lower:find("not found")
    then
        return message .. probable_port(url), false
    elseif lower:find("too many websockets") then
        return message .. "\nhint: other programs on this computer hold all of its WebSockets", false
    end
    return message, false
end

---The bridge accepted the connection and said nothing.
---@param url string
---@param greeted boolean whether a hello was sent
---@param hello_ms number
---@return string
local function silence(url, greeted, hello_ms)
    if greeted then
        local message = "no hello-ok within %g s; is this a bridge's link port?"
        return message:format(hello_ms / 1000) .. probable_port(url)
    end
    return "no answer in time"
end

---@param problem string the bridge's own text
---@return string
local function refused(problem)
    local message = "the bridge refused this computer: " .. problem
    if problem:lower():find("token") then
        message = message .. "\nhint: give the bridge's link token with `--token T`"
    end
    return message
end

---@param id number
---@return string
local function replaced(id)
    return ("replaced: another link took over the id %.0f, so this one ends\n"):format(id)
        .. "hint: is mcp-computer running twice, or does another computer have the same id?"
end

---@param problem string
---@param code number|nil
---@return boolean
local function is_replaced(problem, code)
    return code == 4000 or (code == nil and problem == "replaced")
end

---@param problem string
---@param code number|nil
---@return string
local function lost(problem, code)
    if problem == "" then
        problem = "closed"
    end
    return code and ("link lost: %s (code %.0f)"):format(problem, code) or ("link lost: %s"):format(problem)
end

return {
    shown_url = shown_url,
    no_websocket = no_websocket,
    cannot_connect = cannot_connect,
    silence = silence,
    refused = refused,
    replaced = replaced,
    is_replaced = is_replaced,
    lost = lost,
}
