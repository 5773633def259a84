-- wget: downloads a file, or runs a program from the internet.

local function usage()
    local name = arg[0] or fs.getName(shell.getRunningProgram())
    print("Usage:")
    print(name .. " <url> [filename]")
    print(name .. " run <url>")
end

local arguments = { ... }
local run = false
if arguments[1] == "run" then
    table.remove(arguments, 1)
    run = true
end
if #arguments < 1 then
    usage()
    return
end

local url = table.remove(arguments, 1)
if not http then
    printError("wget requires the http API, but it is not enabled")
    return
end

--- The last part of a URL's path, or its host, as the name of a file.
local function file_name(address)
    address = address:gsub("[#?].*", ""):gsub("/+$", "")
    return address:match("/([^/]+)$")
end

--- Downloads a page; what happens is printed.
---@return string|nil
local function download(address)
    local ok, message = http.checkURL(address)
    if not ok then
        printError(message or "Invalid URL.")
        return nil
    end
    write("Connecting to " .. address .. "... ")
    local response = http.get(address, nil, true)
    if not response then
        print("Failed.")
        return nil
    end
    print("Success.")
    local content = response.readAll()
    response.close()
    return content or ""
end

if run then
    local content = download(url)
    if not content then return end
    local chunk, message = load(content, file_name(url) or url, "t", _ENV)
    if not chunk then
        printError(message)
        return
    end
    local ok, problem = pcall(chunk, table.unpack(arguments))
    if not ok then printError(problem) end
    return
end

local name = arguments[1] or file_name(url) or url
local path = shell.resolve(name)
if fs.exists(path) then
    print("File already exists")
    return
end
local content = download(url)
if not content then return end
local handle, message = fs.open(path, "wb")
if not handle then
    printError("Cannot save file: " .. message)
    return
end
handle.write(content)
handle.close()
print("Downloaded as " .. name)
