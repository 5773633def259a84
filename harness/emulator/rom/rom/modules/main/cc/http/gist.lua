-- cc.http.gist: gets, runs, uploads and deletes gists.
-- Uploading and deleting need a token of GitHub's, in the setting `gist.id`.

local expect = dofile("rom/modules/main/cc/expect.lua").expect

local API = "https://api.github.com/gists"

--- Splits `id/file` into its parts.
local function split(id)
    local gist, file = id:match("^([^/]+)/(.+)$")
    return gist or id, file
end

--- Asks for a gist; nil and a message if there is none.
---@param id string
---@param progress fun(text: string)|nil is told how it goes
local function fetch(id, progress)
    progress = progress or function() end
    progress("Connecting to api.github.com... ")
    local response = http.get(API .. "/" .. textutils.urlEncode(id))
    if not response then
        progress("Failed.\n")
        return nil, "Failed to connect"
    end
    local gist = textutils.unserialiseJSON(response.readAll() or "")
    response.close()
    if type(gist) ~= "table" or type(gist.files) ~= "table" then
        progress("Failed.\n")
        return nil, "Error parsing JSON"
    end
    progress("Success.\n")
    return gist
end

--- The text of a file, which is elsewhere if it is long.
local function content_of(file)
    if not file.truncated then return file.content end
    local response, message = http.get(file.raw_url)
    if not response then return nil, message end
    local content = response.readAll()
    response.close()
    return content
end

local function sorted_names(files)
    local names = {}
    for name in pairs(files) do names[#names + 1] = name end
    table.sort(names)
    return names
end

--- The file that stands for the whole: the only one, `init.lua`, or the first one in Lua.
local function main_file(files)
    local names = sorted_names(files)
    if #names == 1 then return files[names[1]], names[1] end
    if files["init.lua"] then return files["init.lua"], "init.lua" end
    for _, name in ipairs(names) do
        if name:find("%.lua$") then return files[name], name end
    end
    return nil, "Could not find any Lua files to download"
end

--- Gets one file of a gist.
---@param id string the gist, or the gist and a file as `id/file`
---@param progress fun(text: string)|nil
---@return string|nil content nil if there is none, with a message
---@return string name
local function get(id, progress)
    expect(1, id, "string")
    expect(2, progress, "function", "nil")
    local gist_id, wanted = split(id)
    local gist, message = fetch(gist_id, progress)
    if not gist then return nil, message end
    local file, name
    if wanted then
        file, name = gist.files[wanted], wanted
        if not file then return nil, "Could not find file " .. wanted end
    else
        file, name = main_file(gist.files)
        if not file then return nil, name end
    end
    local content, problem = content_of(file)
    if not content then return nil, problem end
    return content, name
end

--- Gets all files of a gist, by name.
---@param id string
---@param progress fun(text: string)|nil
---@return table<string, string>|nil
local function get_all(id, progress)
    expect(1, id, "string")
    expect(2, progress, "function", "nil")
    local gist, message = fetch((split(id)), progress)
    if not gist then return nil, message end
    local contents = {}
    for name, file in pairs(gist.files) do
        local content, problem = content_of(file)
        if not content then return nil, problem end
        contents[name] = content
    end
    return contents
end

--- Tells about a gist: `author`, `description`, `files` (names) and `revisionCount`.
---@param id string
---@param progress fun(text: string)|nil
---@return table|nil
local function info(id, progress)
    expect(1, id, "string")
    expect(2, progress, "function", "nil")
    local gist, message = fetch((split(id)), progress)
    if not gist then return nil, message end
    return {
        author = gist.owner and gist.owner.login,
        description = gist.description,
        files = sorted_names(gist.files),
        revisionCount = gist.history and #gist.history or 0,
    }
end

--- Runs a gist with arguments, and returns what it returns. A function in the first place is told how it goes.
---@param id string
local function run(id, ...)
    expect(1, id, "string")
    local arguments, first, progress = table.pack(...), 1, nil
    if type(arguments[1]) == "function" then
        first, progress = 2, arguments[1]
    end
    local content, name = get(id, progress)
    if not content then return nil, name end
    local chunk, message = load(content, name, "t", _ENV)
    if not chunk then error(message, 2) end
    return chunk(table.unpack(arguments, first, arguments.n))
end

--- The token, asked for at the keyboard if there is none and that is wanted.
local function token(interactive)
    local known = settings.get("gist.id")
    if known or not interactive then return known end
    write("Token: ")
    known = read("*")
    return known ~= "" and known or nil
end

--- Why an answer is none.
local function failure(response, message, failed)
    response = response or failed
    if not response then return message end
    local answer = textutils.unserialiseJSON(response.readAll() or "")
    local code = response.getResponseCode()
    response.close()
    local reason = type(answer) == "table" and type(answer.message) == "string" and answer.message
    return "Failed: " .. code .. ": " .. (reason or "Unknown error")
end

--- Uploads files as a new gist, or into one that exists.
---@param files table<string, string> texts by name
---@param description string|nil
---@param id string|nil the gist to change
---@param interactive boolean|nil whether the user may be asked for a token
---@return string|nil id nil if that failed, with a message
---@return string url
local function put(files, description, id, interactive)
    expect(1, files, "table")
    expect(2, description, "string", "nil")
    expect(3, id, "string", "nil")
    expect(4, interactive, "boolean", "nil")
    local key = token(interactive)
    if not key then return nil, "A token is needed: set gist.id" end
    local contents = {}
    for name, text in pairs(files) do contents[name] = { content = text } end
    local body = textutils.serialiseJSON({ description = description, files = contents, public = true })
    local headers = { ["Content-Type"] = "application/json", Authorization = "token " .. key }
    local response, message, failed
    if id then
        response, message, failed =
            http.post({ url = API .. "/" .. textutils.urlEncode(id), method = "PATCH", headers = headers, body = body })
    else
        response, message, failed = http.post(API, body, headers)
    end
    local code = response and response.getResponseCode()
    if code ~= 200 and code ~= 201 then return nil, failure(response, message, failed) end
    local gist = textutils.unserialiseJSON(response.readAll() or "")
    response.close()
    if type(gist) ~= "table" then return nil, "Error parsing JSON" end
    return gist.id, gist.html_url
end

--- Deletes a gist.
---@param id string
---@param interactive boolean|nil whether the user may be asked for a token
---@return boolean
---@return string|nil message
local function delete(id, interactive)
    expect(1, id, "string")
    expect(2, interactive, "boolean", "nil")
    local key = token(interactive)
    if not key then return false, "A token is needed: set gist.id" end
    local headers = { Authorization = "token " .. key }
    local response, message, failed =
        http.post({ url = API .. "/" .. textutils.urlEncode(id), method = "DELETE", headers = headers })
    if not response or response.getResponseCode() ~= 204 then return false, failure(response, message, failed) end
    response.close()
    return true
end

return { delete = delete, get = get, getAll = get_all, info = info, put = put, run = run }
