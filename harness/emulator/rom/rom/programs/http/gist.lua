-- gist: gets, runs, uploads and deletes gists.

local gist = require("cc.http.gist")

local arguments = { ... }

local function usage()
    local name = arg[0] or "gist"
    print("Usages:")
    print(name .. " put <files...> [-- description...]")
    print(name .. " edit <id> <files...> [-- description]")
    print(name .. " delete <id>")
    print(name .. " get <id> <filename>")
    print(name .. " run <id> [arguments...]")
    print(name .. " info <id>")
end

if #arguments < 2 then
    usage()
    return
end
if not http then
    printError("Gist requires the http API, but it is not enabled")
    return
end

--- Reads the files that are named from an argument on, and the description that follows `--`.
local function collect(first)
    local files, description = {}, nil
    for index = first, #arguments do
        if arguments[index] == "--" then
            description = table.concat(arguments, " ", index + 1)
            break
        end
        local path = shell.resolve(arguments[index])
        local handle = not fs.isDir(path) and fs.open(path, "r")
        if not handle then
            printError("No such file: " .. arguments[index])
            return nil
        end
        files[fs.getName(path)] = handle.readAll() or ""
        handle.close()
    end
    if not next(files) then return usage() end
    return files, description
end

local function upload(files, description, id)
    if not files then return end
    write("Connecting to api.github.com... ")
    local made, url = gist.put(files, description, id, true)
    if not made then
        print("Failed.")
        printError(url)
        return
    end
    print("Success.")
    print("Uploaded as " .. url)
    print('Run "gist get ' .. made .. '" to download anywhere')
end

local command, id = arguments[1], arguments[2]
if command == "put" then
    upload(collect(2))
elseif command == "edit" and arguments[3] then
    local files, description = collect(3)
    upload(files, description, id)
elseif command == "delete" then
    local ok, message = gist.delete(id, true)
    if not ok then
        printError(message)
        return
    end
    print("Deleted gist " .. id)
elseif command == "get" and arguments[3] then
    local path = shell.resolve(arguments[3])
    if fs.exists(path) then
        print("File already exists")
        return
    end
    local content, problem = gist.get(id, write)
    if not content then
        printError(problem)
        return
    end
    local handle, message = fs.open(path, "w")
    if not handle then
        printError("Cannot save file: " .. message)
        return
    end
    handle.write(content)
    handle.close()
    print("Downloaded as " .. arguments[3])
elseif command == "run" then
    local content, name = gist.get(id, write)
    if not content then
        printError(name)
        return
    end
    local chunk, message = load(content, name, "t", _ENV)
    if not chunk then
        printError(message)
        return
    end
    local ok, problem = pcall(chunk, table.unpack(arguments, 3))
    if not ok then printError(problem) end
elseif command == "info" then
    local found, message = gist.info(id, write)
    if not found then
        printError(message)
        return
    end
    print("Description: " .. (found.description or ""))
    print("Author: " .. (found.author or "nobody"))
    print("Revisions: " .. found.revisionCount)
    print("Files: " .. table.concat(found.files, ", "))
else
    usage()
end
