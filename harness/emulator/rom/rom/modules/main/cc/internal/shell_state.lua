-- cc.internal.shell_state: what a shell knows: where it is, where programs are, what else
-- they are called, and how their arguments are completed.

---@class ShellState
---@field dir string
---@field path string folders separated by colons
---@field aliases table<string, string>
---@field completion table<string, table> by the program's path
local ShellState = {}
ShellState.__index = ShellState

local function is_file(path)
    return fs.exists(path) and not fs.isDir(path)
end

local function is_absolute(path)
    local first = path:sub(1, 1)
    return first == "/" or first == "\\"
end

local function is_hidden(name)
    return name:sub(1, 1) == "."
end

--- Makes a path absolute.
---@param path string
---@return string
function ShellState:resolve(path)
    return is_absolute(path) and fs.combine("", path) or fs.combine(self.dir, path)
end

--- Finds a program's file: a name may leave out its extension.
---@return string|nil
local function file_of(path)
    if is_file(path) then return path end
    local with_extension = path .. ".lua"
    return is_file(with_extension) and with_extension or nil
end

--- Lists the folders that may have programs.
---@return string[]
function ShellState:folders()
    local folders = {}
    for folder in self.path:gmatch("[^:]+") do folders[#folders + 1] = self:resolve(folder) end
    return folders
end

--- Finds the program that a command means.
---@param command string
---@return string|nil path
function ShellState:resolve_program(command)
    command = self.aliases[command] or command
    -- What names a folder is not looked for.
    if command:find("/") or command:find("\\") then return file_of(self:resolve(command)) end
    if command == "" then return nil end
    for folder in self.path:gmatch("[^:]+") do
        local file = file_of(fs.combine(self:resolve(folder), command))
        if file then return file end
    end
    return nil
end

--- Collects the programs of the path, and what else may begin a command.
---@param hidden boolean|nil
---@param folders_too boolean|nil
---@return table<string, boolean>
function ShellState:collect(hidden, folders_too)
    local names = {}
    for _, folder in ipairs(self:folders()) do
        for _, name in ipairs(fs.isDir(folder) and fs.list(folder) or {}) do
            local is_folder = fs.isDir(fs.combine(folder, name))
            if hidden or not is_hidden(name) then
                if not is_folder then
                    names[(#name > 4 and name:gsub("%.lua$", "") or name)] = true
                elseif folders_too and folder == self:resolve("") then
                    names[name .. "/"] = true
                end
            end
        end
    end
    return names
end

local function sorted_keys(set)
    local keys = {}
    for key in pairs(set) do keys[#keys + 1] = key end
    table.sort(keys)
    return keys
end

--- Lists the programs of the path.
---@param hidden boolean|nil
---@return string[]
function ShellState:programs(hidden)
    return sorted_keys(self:collect(hidden))
end

--- Completes the name of a program.
---@param typed string
---@return string[] endings
function ShellState:complete_program(typed)
    local hidden = settings.get("shell.autocomplete_hidden")
    if typed:find("/") then
        return fs.complete(typed, self.dir, { include_files = true, include_dirs = false, include_hidden = hidden })
    end
    local names = self:collect(false, true)
    for alias in pairs(self.aliases) do names[alias] = true end
    local endings = {}
    for name in pairs(names) do
        if #name > #typed and name:sub(1, #typed) == typed then endings[name:sub(#typed + 1)] = true end
    end
    return sorted_keys(endings)
end

--- Completes a command of several words.
---@param shell table the API, for the functions that complete arguments
---@param words string[]
---@return string[]|nil endings
function ShellState:complete(shell, words)
    if #words == 0 then return nil end
    local program = self:resolve_program(words[1])
    local known = program and self.completion[program]
    if #words > 1 then
        local current = table.remove(words)
        return known and known.fnComplete(shell, #words, current, words)
    end

    if known then return { " " } end
    local endings = self:complete_program(words[1])
    for index, ending in ipairs(endings) do
        local other = self:resolve_program(words[1] .. ending)
        -- There is more to type after a program that completes its arguments.
        if other and self.completion[other] then endings[index] = ending .. " " end
    end
    return endings
end

local function copy(original)
    local copied = {}
    for key, value in pairs(original) do copied[key] = value end
    return copied
end

--- Makes the state of a shell that another one has started, or of the first one.
---@param parent table|nil the API of the other shell
---@return ShellState
return function(parent)
    return setmetatable({
        dir = parent and parent.dir() or "",
        path = parent and parent.path() or ".:/rom/programs",
        aliases = parent and parent.aliases() or {},
        completion = parent and copy(parent.getCompletionInfo()) or {},
    }, ShellState)
end
