-- shell: reads commands and runs programs. Each shell has a folder, a search path,
-- aliases and completions; one that is started from another inherits them.

-- The first shell shares the modules that the bios has loaded.
local include = include or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect
local make_package = include("rom/modules/main/cc/require.lua").make
local env_metatable = include("rom/modules/main/cc/internal/program_env.lua")

local multishell = multishell
local parent_shell = shell

local exiting = false
local current_dir = parent_shell and parent_shell.dir() or ""
local search_path = parent_shell and parent_shell.path() or ".:/rom/programs"
local aliases = parent_shell and parent_shell.aliases() or {}
local completions = parent_shell and parent_shell.getCompletionInfo() or {}
local running_programs = {}

local shell = {}

-- A program that names another as its interpreter may itself be named by one.
local MAX_INTERPRETERS = 16

-- Command lines ----------------------------------------------------------

--- Splits a command line into words; quotes keep blanks together.
---@return string[]
local function tokenise(...)
    local line = table.concat({ ... }, " ")
    local words = {}
    local quoted = false
    for part in (line .. "\""):gmatch("(.-)\"") do
        if quoted then
            words[#words + 1] = part
        else
            for word in part:gmatch("[^ \t]+") do words[#words + 1] = word end
        end
        quoted = not quoted
    end
    return words
end

-- Paths ------------------------------------------------------------------

--- Returns the current folder.
---@return string
function shell.dir()
    return current_dir
end

--- Changes the current folder.
---@param dir string
function shell.setDir(dir)
    expect(1, dir, "string")
    if not fs.isDir(dir) then error("Not a directory", 2) end
    current_dir = fs.combine(dir, "")
end

--- Returns the folders that programs are looked for in, separated by colons.
---@return string
function shell.path()
    return search_path
end

--- Sets the folders that programs are looked for in.
---@param path string
function shell.setPath(path)
    expect(1, path, "string")
    search_path = path
end

--- Makes a path absolute.
---@param path string
---@return string
function shell.resolve(path)
    expect(1, path, "string")
    local first = path:sub(1, 1)
    if first == "/" or first == "\\" then return fs.combine("", path) end
    return fs.combine(current_dir, path)
end

--- Finds the file of a path, with the extension .lua where it is left out.
local function existing_file(path)
    if fs.exists(path) and not fs.isDir(path) then return path end
    local with_extension = path .. ".lua"
    if fs.exists(with_extension) and not fs.isDir(with_extension) then return with_extension end
    return nil
end

--- Finds a program by what is typed.
---@param command string
---@return string|nil path
function shell.resolveProgram(command)
    expect(1, command, "string")
    command = aliases[command] or command
    if command:find("[/\\]") then return existing_file(shell.resolve(command)) end
    if command == "" then return nil end
    for folder in search_path:gmatch("[^:]+") do
        local found = existing_file(fs.combine(shell.resolve(folder), command))
        if found then return found end
    end
    return nil
end

--- Lists the programs of the search path.
---@param include_hidden boolean|nil
---@return string[]
function shell.programs(include_hidden)
    expect(1, include_hidden, "boolean", "nil")
    local seen, names = {}, {}
    for folder in search_path:gmatch("[^:]+") do
        folder = shell.resolve(folder)
        if fs.isDir(folder) then
            for _, name in ipairs(fs.list(folder)) do
                if not fs.isDir(fs.combine(folder, name)) and (include_hidden or name:sub(1, 1) ~= ".") then
                    if #name > 4 and name:sub(-4) == ".lua" then name = name:sub(1, -5) end
                    if not seen[name] then
                        seen[name] = true
                        names[#names + 1] = name
                    end
                end
            end
        end
    end
    table.sort(names)
    return names
end

-- Completion -------------------------------------------------------------

--- Completes the name of a program.
local function complete_program(line)
    local first = line:sub(1, 1)
    if line ~= "" and (first == "/" or first == "\\") then
        return fs.complete(line, "", true, false)
    elseif line:find("[/\\]") then
        return fs.complete(line, current_dir, true, false)
    end

    local endings, seen = {}, {}
    local function offer(name)
        if #name > #line and name:sub(1, #line) == line then
            local ending = name:sub(#line + 1)
            if not seen[ending] then
                seen[ending] = true
                endings[#endings + 1] = ending
            end
        end
    end
    for alias in pairs(aliases) do offer(alias) end
    -- The folders here, to go on into them.
    for _, name in ipairs(fs.isDir(current_dir) and fs.list(current_dir) or {}) do
        if name:sub(1, 1) ~= "." and fs.isDir(fs.combine(current_dir, name)) then offer(name .. "/") end
    end
    for _, name in ipairs(shell.programs()) do offer(name) end
    table.sort(endings)
    return endings
end

--- Completes the argument of a program with the function that was set for it.
local function complete_argument(program, index, argument, previous)
    local info = completions[program]
    if info then return info.fnComplete(shell, index, argument, previous) end
    return nil
end

--- Completes a command line.
---@param line string
---@return string[]|nil endings
function shell.complete(line)
    expect(1, line, "string")
    if #line == 0 then return nil end

    local words = tokenise(line)
    local index = #words
    if line:sub(-1) == " " then index = index + 1 end

    if index == 1 then
        local word = words[1] or ""
        -- A program that is named in full goes on with its arguments.
        local whole = shell.resolveProgram(word)
        if whole and completions[whole] then return { " " } end
        local endings = complete_program(word)
        for position = 1, #endings do
            local program = shell.resolveProgram(word .. endings[position])
            if program and completions[program] then endings[position] = endings[position] .. " " end
        end
        return endings
    elseif index > 1 then
        local program = shell.resolveProgram(words[1])
        local argument = words[index] or ""
        words[index] = nil
        if program then return complete_argument(program, index - 1, argument, words) end
    end
    return nil
end

--- Completes the name of a program.
---@param program string
---@return string[] endings
function shell.completeProgram(program)
    expect(1, program, "string")
    return complete_program(program)
end

--- Sets the function that completes a program's arguments.
---@param program string
---@param complete fun(shell: table, index: number, argument: string, previous: string[]): string[]|nil
function shell.setCompletionFunction(program, complete)
    expect(1, program, "string")
    expect(2, complete, "function")
    completions[program] = { fnComplete = complete }
end

--- Returns the completion functions by program.
---@return table
function shell.getCompletionInfo()
    return completions
end

-- Aliases ----------------------------------------------------------------

--- Gives a program another name.
---@param command string
---@param program string
function shell.setAlias(command, program)
    expect(1, command, "string")
    expect(2, program, "string")
    aliases[command] = program
end

--- Takes another name away.
---@param command string
function shell.clearAlias(command)
    expect(1, command, "string")
    aliases[command] = nil
end

--- Returns a copy of the aliases.
---@return table<string, string>
function shell.aliases()
    local copy = {}
    for alias, program in pairs(aliases) do copy[alias] = program end
    return copy
end

-- Running ----------------------------------------------------------------

--- Makes the environment of a program.
local function program_env(folder)
    local env = { shell = shell, multishell = multishell }
    env.require, env.package = make_package(env, folder)
    return env
end

--- Loads and runs a program; what goes wrong is printed.
---@return boolean
local function run_source(source, path, env, ...)
    setmetatable(env, env_metatable())
    local chunk, syntax_problem = load(source, "@/" .. fs.combine(path), nil, env)
    if not chunk then
        include("rom/modules/main/cc/internal/error_report.lua").syntax(source, syntax_problem)
        return false
    end
    local ok, problem = pcall(chunk, ...)
    if ok then return true end
    include("rom/modules/main/cc/internal/error_report.lua").failure(problem)
    return false
end

--- Runs a program, through the interpreters that it names in its first line.
local function execute_program(interpreters_left, path, arguments)
    local handle, open_problem = fs.open(path, "r")
    if not handle then
        printError(open_problem or "File not found")
        return false
    end
    local source = handle.readAll() or ""
    handle.close()

    local interpreter_line = source:match("^#!([^\n]*)")
    if not interpreter_line then
        local env = program_env(fs.getDir(path))
        env.arg = arguments
        return run_source(source, path, env, table.unpack(arguments, 1, #arguments))
    end

    if interpreters_left <= 0 then
        printError("Hashbang recursion depth limit reached when loading file: " .. path)
        return false
    end
    local words = tokenise(interpreter_line)
    local interpreter = words[1] and shell.resolveProgram(words[1])
    if not interpreter then
        printError("Hashbang specified invalid program: " .. tostring(words[1]))
        return false
    end
    -- A shell that is given nothing to run would read this file as its commands.
    if #words == 1 and interpreter == "rom/programs/shell.lua" then
        printError("Cannot use the shell as a hashbang program")
        return false
    end

    local new_arguments = { [0] = words[1] }
    for index = 2, #words do new_arguments[#new_arguments + 1] = words[index] end
    new_arguments[#new_arguments + 1] = path
    for _, argument in ipairs(arguments) do new_arguments[#new_arguments + 1] = argument end
    return execute_program(interpreters_left - 1, interpreter, new_arguments)
end

--- Names a tab after what runs in it.
local function set_title(path)
    if not multishell then return end
    local title = fs.getName(path or "shell")
    if title:sub(-4) == ".lua" then title = title:sub(1, -5) end
    multishell.setTitle(multishell.getCurrent(), title)
end

--- Runs a program with arguments as they are.
---@param command string
---@return boolean
function shell.execute(command, ...)
    expect(1, command, "string")
    for index = 1, select("#", ...) do expect(index + 1, (select(index, ...)), "string") end

    local path = shell.resolveProgram(command)
    if not path then
        printError("No such program")
        return false
    end

    set_title(path)
    running_programs[#running_programs + 1] = path
    local ok = execute_program(MAX_INTERPRETERS, path, { [0] = command, ... })
    running_programs[#running_programs] = nil
    set_title(running_programs[#running_programs])
    return ok
end

--- Runs a command line.
---@return boolean
function shell.run(...)
    local words = tokenise(...)
    local command = words[1]
    if not command then return false end
    return shell.execute(command, table.unpack(words, 2))
end

--- Ends the shell after the program that runs.
function shell.exit()
    exiting = true
end

--- Returns the path of the program that runs.
---@return string|nil
function shell.getRunningProgram()
    return running_programs[#running_programs]
end

if multishell then
    --- Runs a command line in a new tab.
    ---@return number|nil tab
    function shell.openTab(...)
        local words = tokenise(...)
        local command = words[1]
        if not command then return nil end
        local path = shell.resolveProgram(command)
        if not path then
            printError("No such program")
            return nil
        end
        if path == "rom/programs/shell.lua" then
            return multishell.launch(program_env("rom/programs"), path, table.unpack(words, 2))
        end
        return multishell.launch(program_env("rom/programs"), "rom/programs/shell.lua", command, table.unpack(words, 2))
    end

    --- Shows another tab.
    ---@param id number
    function shell.switchTab(id)
        expect(1, id, "number")
        multishell.setFocus(id)
    end
end

-- The prompt -------------------------------------------------------------

local prompt_colour, text_colour = colors.white, colors.white
local background_colour = colors.black
if term.isColour() then prompt_colour = colors.yellow end

local function show_prompt()
    term.setBackgroundColor(background_colour)
    term.setTextColour(prompt_colour)
    write(shell.dir() .. "> ")
    term.setTextColour(text_colour)
end

--- Reads a command line. Files that are dropped meanwhile are saved, then the line is shown again.
---@return string
local function read_command(history)
    local reader = coroutine.create(read)
    local complete = settings.get("shell.autocomplete") and shell.complete or nil

    local ok, filter = coroutine.resume(reader, nil, history, complete)
    while ok and coroutine.status(reader) ~= "dead" do
        local event = table.pack(os.pullEvent())
        if event[1] == "file_transfer" then
            local _, y = term.getCursorPos()
            term.setCursorPos(1, y)
            write("\n")
            local saved, problem = include("rom/modules/main/cc/internal/import.lua")(event[2].getFiles(), shell.dir())
            if not saved and problem then printError(problem) end
            show_prompt()
            term.setCursorBlink(true)
            ok, filter = coroutine.resume(reader, "term_resize")
        elseif filter == nil or filter == event[1] then
            ok, filter = coroutine.resume(reader, table.unpack(event, 1, event.n))
        end
    end
    if not ok then error(filter, 0) end
    return filter
end

local arguments = { ... }
if #arguments > 0 then
    -- The shell was started to run one command.
    return shell.run(...)
end

term.setBackgroundColor(background_colour)
term.setTextColour(prompt_colour)
print(os.version())
term.setTextColour(text_colour)

if parent_shell == nil then shell.run("/rom/startup.lua") end

local history = {}
while not exiting do
    show_prompt()
    local line = read_command(history)
    if line:match("%S") and history[#history] ~= line then history[#history + 1] = line end
    shell.run(line)
end
