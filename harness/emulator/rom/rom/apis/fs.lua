-- fs: the native file API, and completion of paths.

local include = ... or dofile
local expect_module = include("rom/modules/main/cc/expect.lua")
local expect, field = expect_module.expect, expect_module.field

local api = _ENV
for name, value in pairs(fs) do api[name] = value end

--- Adds the files below a folder that fit the parts of a pattern.
---@param folder string
---@param parts string[]
---@param index number
---@param found string[]
local function find_below(folder, parts, index, found)
    local part = parts[index]
    if not part then
        if fs.exists(folder) then found[#found + 1] = folder end
        return
    end
    if not part:find("[*?]") then return find_below(fs.combine(folder, part), parts, index + 1, found) end
    if not fs.isDir(folder) then return end

    local pattern = "^" .. part:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0"):gsub("%*", ".*"):gsub("%?", ".") .. "$"
    for _, name in ipairs(fs.list(folder)) do
        if name:find(pattern) then find_below(fs.combine(folder, name), parts, index + 1, found) end
    end
end

--- Finds files; `*` stands for any characters and `?` for one, within a name.
---@param pattern string
---@return string[] paths in alphabetical order
function api.find(pattern)
    expect(1, pattern, "string")
    pattern = fs.combine(pattern, "")
    if pattern == ".." or pattern:sub(1, 3) == "../" then
        error("/" .. pattern .. ": Invalid Path", 2)
    end

    local parts = {}
    for part in pattern:gmatch("[^/]+") do parts[#parts + 1] = part end
    local found = {}
    find_below("", parts, 1, found)
    table.sort(found)
    return found
end

--- Says whether a path is where a drive is mounted.
---@param path string
---@return boolean
function api.isDriveRoot(path)
    expect(1, path, "string")
    -- Above a root there is none, or another drive.
    local above = fs.getDir(path)
    return above == ".." or fs.getDrive(path) ~= fs.getDrive(above)
end

--- Reads the options of `complete` in their old and their new form.
local function completion_options(include_files, include_dirs)
    if type(include_files) == "table" then
        local options = include_files
        local files = field(options, "include_files", "boolean", "nil")
        local dirs = field(options, "include_dirs", "boolean", "nil")
        local hidden = field(options, "include_hidden", "boolean", "nil")
        return files ~= false, dirs ~= false, hidden ~= false
    end
    return include_files ~= false, include_dirs ~= false, true
end

--- Completes a path.
---@param path string what was typed
---@param location string the folder that it is relative to
---@param include_files boolean|table|nil
---@param include_dirs boolean|nil
---@return string[] endings
function api.complete(path, location, include_files, include_dirs)
    expect(1, path, "string")
    expect(2, location, "string")
    local hidden_option
    if type(include_files) ~= "table" then
        expect(3, include_files, "boolean", "nil")
        expect(4, include_dirs, "boolean", "nil")
    end
    include_files, include_dirs, hidden_option = completion_options(include_files, include_dirs)

    -- "a/b/na" is the folder "a/b" and the beginning "na".
    local folder_part, beginning = path:match("^(.*/)([^/]*)$")
    local folder
    if folder_part then
        folder = folder_part:sub(1, 1) == "/" and fs.combine(folder_part, "") or fs.combine(location, folder_part)
    else
        beginning = path
        folder = fs.combine(location, "")
    end

    local endings = {}
    local function offer(ending, is_dir)
        if is_dir then endings[#endings + 1] = ending .. "/" end
        -- A name that is whole already needs no ending.
        if ending ~= "" and (include_dirs or not is_dir) then endings[#endings + 1] = ending end
    end

    if not fs.isDir(folder) then return endings end
    if not folder_part then
        if path == "" then
            if include_dirs then endings[#endings + 1] = "." end
            if folder ~= "" then endings[#endings + 1] = include_dirs and ".." or "../" end
        elseif path == "." and folder ~= "" then
            endings[#endings + 1] = include_dirs and "." or "./"
        end
    end

    for _, name in ipairs(fs.list(folder)) do
        local visible = hidden_option or name:sub(1, 1) ~= "." or beginning:sub(1, 1) == "."
        if visible and #name >= #beginning and name:sub(1, #beginning) == beginning then
            local is_dir = fs.isDir(fs.combine(folder, name))
            if is_dir or include_files then offer(name:sub(#beginning + 1), is_dir) end
        end
    end
    return endings
end
