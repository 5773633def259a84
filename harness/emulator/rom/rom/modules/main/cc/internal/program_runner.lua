-- cc.internal.program_runner: loads a program for a shell and runs it.

local include = type((...)) == "function" and (...) or dofile
local split_words = include("rom/modules/main/cc/internal/command_line.lua")
local env_metatable = include("rom/modules/main/cc/internal/program_env.lua")
local make_require = include("rom/modules/main/cc/require.lua").make
local try = include("rom/modules/main/cc/internal/exception.lua").try

-- Interpreters that need interpreters: more than anybody writes by hand.
local MOST_INTERPRETERS = 100
local SHELL = "rom/programs/shell.lua"

--- Reads the first line of a file if it names an interpreter.
---@return string|nil
local function hashbang_of(path)
    local file = fs.open(path, "r")
    if not file then return nil end
    local line = file.read(2) == "#!" and (file.readLine() or "") or nil
    file.close()
    return line
end

--- Follows the interpreters of a file to a program in Lua.
---@param shell table
---@param path string
---@param arguments string[]
---@return string|nil path nil if that failed, which was said
---@return string command
---@return string[] arguments
local function interpreted(shell, path, command, arguments)
    local first_path = path
    for _ = 1, MOST_INTERPRETERS do
        local line = hashbang_of(path)
        if not line then return path, command, arguments end
        local words = split_words(line)
        local interpreter = shell.resolveProgram(words[1])
        if not interpreter then
            printError("Hashbang program not found: " .. words[1])
            return nil, command, arguments
        end
        -- It would run the file again, which would start it again.
        if interpreter == SHELL and #words == 1 then
            printError("Cannot use the shell as a hashbang program")
            return nil, command, arguments
        end
        local all = { table.unpack(words, 2) }
        all[#all + 1] = path
        for _, argument in ipairs(arguments) do all[#all + 1] = argument end
        path, command, arguments = interpreter, words[1], all
    end
    printError("Hashbang recursion depth limit reached when loading file: " .. first_path)
    return nil, command, arguments
end

--- Makes the environment of a program.
local function environment(shell, multishell, path, command, arguments)
    local env = setmetatable({ shell = shell, multishell = multishell }, env_metatable())
    rawset(env, "arg", { [0] = command, table.unpack(arguments) })
    local require, package = make_require(env, fs.getDir(path))
    rawset(env, "require", require)
    rawset(env, "package", package)
    return env
end

local function load_program(shell, multishell, path, command, arguments)
    return loadfile("/" .. path, nil, environment(shell, multishell, path, command, arguments))
end

--- Shows why a program could not be loaded.
local function explain(path, message)
    local file = fs.open(path, "r")
    local source = file and file.readAll() or ""
    if file then file.close() end
    include("rom/modules/main/cc/internal/error_report.lua").syntax(source, message)
end

--- Runs a program; what goes wrong is shown.
---@param shell table the API of the shell
---@param multishell table|nil
---@param path string
---@param command string what was typed for it
---@param arguments string[]
---@return boolean ok
return function(shell, multishell, path, command, arguments)
    local program, all = path, arguments
    local chunk, message = load_program(shell, multishell, path, command, arguments)
    -- No program in Lua begins with the name of an interpreter: only what fails to load is looked at again.
    if not chunk and hashbang_of(path) then
        local name
        program, name, all = interpreted(shell, path, command, arguments)
        if not program then return false end
        chunk, message = load_program(shell, multishell, program, name, all)
    end
    if not chunk then
        explain(program, message)
        return false
    end
    -- In a coroutine of its own, where nothing of the shell is seen.
    local ok, problem, thread = try(chunk, table.unpack(all))
    if not ok then include("rom/modules/main/cc/internal/error_report.lua").failure(problem, thread) end
    return ok
end
