-- shell: reads commands and runs programs, which find its API in their environment.

local include = include or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect
local split_words = include("rom/modules/main/cc/internal/command_line.lua")
local run_program = include("rom/modules/main/cc/internal/program_runner.lua")

local parent, multishell = shell, multishell
local state = include("rom/modules/main/cc/internal/shell_state.lua")(parent)

-- Running programs -------------------------------------------------------

local shell = {}
local running, exiting = {}, false

--- Puts the name of the program that runs into its tab.
local function show_title()
    if not multishell then return end
    local program = running[#running]
    multishell.setTitle(multishell.getCurrent(), program and fs.getName(program):gsub("%.lua$", "") or "shell")
end

--- Runs a program with arguments as they are.
---@param command string
---@param ... string
---@return boolean ok
function shell.execute(command, ...)
    expect(1, command, "string")
    local arguments = table.pack(...)
    for index = 1, arguments.n do expect(index + 1, arguments[index], "string") end

    local program = state:resolve_program(command)
    if not program then
        printError("No such program")
        return false
    end
    table.insert(running, program)
    show_title()
    local ok = run_program(shell, multishell, program, command, arguments)
    table.remove(running)
    show_title()
    return ok
end

--- Runs a command: a program and its arguments, split into words.
---@return boolean ok
function shell.run(...)
    local words = split_words(table.concat({ ... }, " "))
    return #words > 0 and shell.execute(table.unpack(words))
end

--- Ends this shell once the program that runs is done.
function shell.exit() exiting = true end

--- Returns the program that runs.
---@return string|nil
function shell.getRunningProgram() return running[#running] end

-- Where it is ------------------------------------------------------------

function shell.dir() return state.dir end

function shell.setDir(dir)
    expect(1, dir, "string")
    if not fs.isDir(dir) then error("Not a directory", 2) end
    state.dir = fs.combine(dir, "")
end

function shell.path() return state.path end

function shell.setPath(path)
    state.path = expect(1, path, "string")
end

function shell.resolve(path)
    expect(1, path, "string")
    return state:resolve(path)
end

-- Programs ---------------------------------------------------------------

function shell.resolveProgram(command)
    expect(1, command, "string")
    return state:resolve_program(command)
end

function shell.programs(include_hidden)
    expect(1, include_hidden, "boolean", "nil")
    return state:programs(include_hidden)
end

function shell.setAlias(command, program)
    expect(1, command, "string")
    expect(2, program, "string")
    state.aliases[command] = program
end

function shell.clearAlias(command)
    expect(1, command, "string")
    state.aliases[command] = nil
end

function shell.aliases()
    local copy = {}
    for alias, program in pairs(state.aliases) do copy[alias] = program end
    return copy
end

-- Completion -------------------------------------------------------------

function shell.complete(sLine)
    expect(1, sLine, "string")
    local words, ended = split_words(sLine)
    if sLine ~= "" and ended then table.insert(words, "") end
    return state:complete(shell, words)
end

function shell.completeProgram(program)
    expect(1, program, "string")
    return state:complete_program(program)
end

function shell.setCompletionFunction(program, complete)
    expect(1, program, "string")
    state.completion[program] = { fnComplete = expect(2, complete, "function") }
end

function shell.getCompletionInfo() return state.completion end

-- Tabs -------------------------------------------------------------------

if multishell then
    --- Runs a command in a new tab.
    ---@return number|nil tab
    function shell.openTab(...)
        local words = split_words(table.concat({ ... }, " "))
        local program = words[1] and state:resolve_program(words[1])
        if not program then
            if words[1] then printError("No such program") end
            return nil
        end
        local env = { shell = shell, multishell = multishell }
        if program == "rom/programs/shell.lua" then
            return multishell.launch(env, program, table.unpack(words, 2))
        end
        -- A shell of its own runs it, for its arguments and its errors.
        return multishell.launch(env, "rom/programs/shell.lua", words[1], table.unpack(words, 2))
    end

    --- Shows a tab.
    ---@param id number
    function shell.switchTab(id)
        expect(1, id, "number")
        multishell.setFocus(id)
    end
end

-- The prompt -------------------------------------------------------------

local has_colours = term.isColour()
local PROMPT_COLOUR = has_colours and colors.yellow or colors.white
local BACKGROUND, TEXT_COLOUR = colors.black, colors.white

local function use(colour)
    term.setBackgroundColour(BACKGROUND)
    term.setTextColour(colour)
end

local function write_prompt()
    use(PROMPT_COLOUR)
    write(state.dir .. "> ")
    use(TEXT_COLOUR)
end

--- Saves files that were dropped onto the computer.
local function take_files(transfer)
    local _, y = term.getCursorPos()
    term.setCursorPos(1, y)
    term.setCursorBlink(false)
    print()
    local save = include("rom/modules/main/cc/internal/import.lua")
    local saved, problem = save(transfer.getFiles(), state.dir)
    if not saved and problem then printError(problem) end
end

--- Reads a line. Files that are dropped onto the computer meanwhile are saved; what was
--- typed until then stands at a new prompt.
---@return string
local function read_line(history)
    local complete = settings.get("shell.autocomplete") and shell.complete or nil
    local reader = coroutine.create(read)
    local ok, wanted = coroutine.resume(reader, nil, history, complete)
    while ok and coroutine.status(reader) ~= "dead" do
        local event = table.pack(os.pullEventRaw())
        if event[1] == "file_transfer" then
            take_files(event[2])
            write_prompt()
            term.setCursorBlink(true)
            -- It draws its text where the cursor is now.
            event = { "term_resize", n = 1 }
        end
        if not wanted or wanted == event[1] or event[1] == "terminate" then
            ok, wanted = coroutine.resume(reader, table.unpack(event, 1, event.n))
        end
    end
    if not ok then error(wanted, 0) end
    return wanted
end

--- Reads and runs commands until the shell is to end.
local function prompt()
    local history = {}
    while not exiting do
        write_prompt()
        local line = read_line(history)
        if line:find("%S") and line ~= history[#history] then table.insert(history, line) end
        shell.run(line)
    end
end

if select("#", ...) > 0 then
    shell.run(...)
    return
end

show_title()
use(PROMPT_COLOUR)
print(os.version())
use(TEXT_COLOUR)
if not parent then shell.run("/rom/startup.lua") end
prompt()
