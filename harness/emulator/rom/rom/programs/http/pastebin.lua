-- pastebin: uploads files to pastebin.com, downloads them and runs them.

local program = require("cc.internal.program")(arg, shell, ...)

local SITE = "https://pastebin.com/"
-- What a code may stand in: alone, or at the end of an address.
local addresses = { "^(%w+)$", "^https?://pastebin%.com/(%w+)$", "^pastebin%.com/(%w+)$" }
for index = 2, 3 do addresses[#addresses + 1] = (addresses[index]:gsub("com/", "com/raw/")) end

local function code_in(text)
    for _, pattern in ipairs(addresses) do
        local code = text:match(pattern)
        if code then return code end
    end
    return nil
end

--- Downloads a paste.
---@return string|nil content nil if that failed, which was said
---@return string|nil code
local function fetch(text)
    local code = code_in(text)
    if not code then
        printError("Invalid pastebin code.")
        print("The code is the ID at the end of the pastebin.com URL.")
        return nil
    end

    local captcha = false
    local response, problem = program.connect("pastebin.com", function()
        -- A number that was never used keeps caches from answering.
        local answer, failure = http.get(("%sraw/%s?cb=%x"):format(SITE, code, math.random(0, 2 ^ 30)))
        local headers = answer and answer.getResponseHeaders()
        captcha = answer ~= nil and not (headers["Content-Type"] or ""):find("^text/plain")
        return not captcha and answer, failure
    end, colors.red)

    if captcha then
        print("Pastebin blocked the download due to spam protection. "
            .. "Please complete the captcha in a web browser: " .. SITE .. textutils.urlEncode(code))
    elseif not response then
        print(problem)
    else
        local content = response.readAll()
        response.close()
        return content, code
    end
    return nil
end

--- Uploads a file.
local function put(_, name)
    if not name then return false end
    local path = shell.resolve(name)
    local file = fs.exists(path) and not fs.isDir(path) and fs.open(path, "r")
    if not file then return print("No such file") end
    local content = file.readAll()
    file.close()

    -- Everybody who uploads has a key of their own.
    local form = {
        "api_option=paste",
        "api_dev_key=" .. tostring(settings.get("pastebin.key") or ""),
        "api_paste_format=lua",
        "api_paste_name=" .. textutils.urlEncode(fs.getName(path)),
        "api_paste_code=" .. textutils.urlEncode(content),
    }
    local response = program.connect("pastebin.com", function()
        return http.post(SITE .. "api/api_post.php", table.concat(form, "&"))
    end)
    if not response then return end
    local address = response.readAll()
    response.close()
    print("Uploaded as " .. address)
    print(("Run \"pastebin get %s\" to download anywhere"):format(address:match("[^/]*$")))
end

local function get(_, text, name)
    if not name then return false end
    local path = shell.resolve(name)
    if fs.exists(path) then return print("File already exists") end
    local content = fetch(text)
    if content and program.save(path, content) then print("Downloaded as " .. name) end
end

local function run(_, text, ...)
    if not text then return false end
    local content, code = fetch(text)
    if content then program.run_text(content, code, _ENV, ...) end
end

-- What there is to do without a network is to say how it is used.
local parts = { put = put, get = get, run = run }
if parts[program.words[1]] and program.words[2] and not program.has_network("Pastebin") then return end
program:choose(parts, "put <filename>", "get <code> <filename>", "run <code> <arguments>")
