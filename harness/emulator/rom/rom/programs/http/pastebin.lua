-- pastebin: stores programs at pastebin.com and gets them from there.

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usages:")
    print(name .. " put <filename>")
    print(name .. " get <code> <filename>")
    print(name .. " run <code> <arguments>")
end

local arguments = { ... }
if #arguments < 2 then
    usage()
    return
end
if not http then
    printError("Pastebin requires the http API, but it is not enabled")
    return
end

-- The forms in which the number of a paste is given.
local code_patterns = {
    "^([%a%d]+)$",
    "^https?://pastebin.com/([%a%d]+)$",
    "^pastebin.com/([%a%d]+)$",
    "^https?://pastebin.com/raw/([%a%d]+)$",
    "^pastebin.com/raw/([%a%d]+)$",
}

local function paste_code(text)
    for _, pattern in ipairs(code_patterns) do
        local code = text:match(pattern)
        if code then return code end
    end
    return nil
end

--- Downloads a paste; what happens is printed.
local function download(text)
    local code = paste_code(text)
    if not code then
        io.stderr:write("Invalid pastebin code.\n")
        io.write("The code is the ID at the end of the pastebin.com URL.\n")
        return nil
    end
    write("Connecting to pastebin.com... ")
    -- The number keeps an old copy from being returned.
    local response, message = http.get(
        "https://pastebin.com/raw/" .. textutils.urlEncode(code)
        .. "?cb=" .. ("%x"):format(math.random(0, 2 ^ 30)))
    if not response then
        io.stderr:write("Failed.\n")
        print(message)
        return nil
    end

    -- A page instead of a text is the question whether a person asks.
    local headers = response.getResponseHeaders()
    if not headers["Content-Type"] or not headers["Content-Type"]:find("^text/plain") then
        io.stderr:write("Failed.\n")
        print("Pastebin blocked the download due to spam protection. Please complete the captcha in a web browser: https://pastebin.com/"
            .. textutils.urlEncode(code))
        return nil
    end

    print("Success.")
    local content = response.readAll()
    response.close()
    return content
end

local command = arguments[1]
if command == "put" then
    local path = shell.resolve(arguments[2])
    if not fs.exists(path) or fs.isDir(path) then
        print("No such file")
        return
    end
    local handle = fs.open(path, "r")
    local content = handle.readAll() or ""
    handle.close()

    write("Connecting to pastebin.com... ")
    local response = http.post("https://pastebin.com/api/api_post.php",
        "api_option=paste&api_dev_key=" .. (settings.get("pastebin.key") or "")
        .. "&api_paste_format=lua&api_paste_name=" .. textutils.urlEncode(fs.getName(path))
        .. "&api_paste_code=" .. textutils.urlEncode(content))
    if not response then
        print("Failed.")
        return
    end
    print("Success.")
    local answer = response.readAll()
    response.close()
    local code = answer:match("[^/]+$")
    print("Uploaded as " .. answer)
    print("Run \"pastebin get " .. code .. "\" to download anywhere")
elseif command == "get" then
    if #arguments < 3 then
        usage()
        return
    end
    local name = arguments[3]
    local path = shell.resolve(name)
    if fs.exists(path) then
        print("File already exists")
        return
    end
    local content = download(arguments[2])
    if not content then return end
    local handle, message = fs.open(path, "w")
    if not handle then
        printError("Cannot save file: " .. message)
        return
    end
    handle.write(content)
    handle.close()
    print("Downloaded as " .. name)
elseif command == "run" then
    local content = download(arguments[2])
    if not content then return end
    local chunk, message = load(content, arguments[2], "t", _ENV)
    if not chunk then
        printError(message)
        return
    end
    local ok, problem = pcall(chunk, table.unpack(arguments, 3))
    if not ok then printError(problem) end
else
    usage()
end
