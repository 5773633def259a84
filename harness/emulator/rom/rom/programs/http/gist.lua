-- gist: gets and runs files of gists.

local arguments = { ... }

local function usage()
    local name = arg[0] or "gist"
    print("Usages:")
    print(name .. " get <id> <filename>")
    print(name .. " run <id> [arguments...]")
end

if #arguments < 2 then
    usage()
    return
end
if not http then
    printError("Gist requires the http API, but it is not enabled")
    return
end

--- Downloads the first file of a gist.
local function download(id)
    write("Connecting to api.github.com... ")
    local response, message = http.get("https://api.github.com/gists/" .. textutils.urlEncode(id))
    if not response then
        print("Failed.")
        printError(message)
        return nil
    end
    local gist = textutils.unserializeJSON(response.readAll() or "")
    response.close()
    print("Success.")
    if type(gist) ~= "table" or type(gist.files) ~= "table" then return nil end
    local names = {}
    for name in pairs(gist.files) do names[#names + 1] = name end
    table.sort(names)
    local file = gist.files[names[1]]
    return file and file.content
end

local command = arguments[1]
if command == "get" and arguments[3] then
    local path = shell.resolve(arguments[3])
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
    print("Downloaded as " .. arguments[3])
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
