-- bios.lua: the first Lua that a computer runs. It completes the native globals
-- (print, read, loadfile, os.run, ...), loads the APIs of rom/apis, reads the
-- settings and starts the shell. What only some programs need (line editing,
-- the terminal loop of multishell) stands in modules that are loaded on demand.

-- The API files share modules through `include`, so that each file is read and
-- compiled once for each computer.
local included = {}

-- Emulators may have a shorter way to load a file. It is not taken where a program has put functions of its own in the
-- place of those that it would bypass.
local load_file, own_open, own_load = rawget(_G, "_LOAD_FILE"), fs.open, load
_LOAD_FILE = nil

--- Loads a file as a chunk named after its path.
---@param path string
---@param env table
---@param mode string|nil
---@return function|nil, string|nil
local function compile(path, env, mode)
    local name = "@/" .. fs.combine(path)
    if load_file and not mode and fs.open == own_open and load == own_load then
        local chunk, message = load_file(path, name, env)
        if chunk ~= false then return chunk, message end
    end
    local handle = fs.open(path, "r")
    if not handle then return nil, "File not found" end
    local source = handle.readAll() or ""
    handle.close()
    return load(source, name, mode, env)
end

--- Runs a file of the ROM once and returns what it returned, from then on always the same value.
---@param path string
---@return any
local function include(path)
    local module = included[path]
    if module == nil then
        local chunk, message = compile(path, _G)
        if not chunk then error(message, 0) end
        module = chunk(include)
        included[path] = module
    end
    return module
end

local expect_module = include("rom/modules/main/cc/expect.lua")
local expect = expect_module.expect

-- Events -----------------------------------------------------------------

--- Waits for an event, `terminate` included.
function os.pullEventRaw(filter)
    return coroutine.yield(filter)
end

--- Waits for an event; `terminate` is raised as an error.
function os.pullEvent(filter)
    local event = table.pack(coroutine.yield(filter))
    if event[1] == "terminate" then error("Terminated", 0) end
    return table.unpack(event, 1, event.n)
end

--- Names the version of the operating system.
---@return string
function os.version()
    return "CraftOS 1.9"
end

--- Waits for a number of seconds.
---@param seconds number|nil
function _G.sleep(seconds)
    expect(1, seconds, "number", "nil")
    local timer = os.startTimer(seconds or 0)
    repeat
        local _, id = os.pullEvent("timer")
    until id == timer
end

os.sleep = sleep

-- Output -----------------------------------------------------------------

--- Writes text at the cursor, wraps it at words, and scrolls at the bottom.
---@param text string|number
---@return number lines how many lines were begun
function _G.write(text)
    expect(1, text, "string", "number")
    text = tostring(text)

    local width, height = term.getSize()
    local x, y = term.getCursorPos()
    local lines = 0

    local function new_line()
        if y < height then
            term.setCursorPos(1, y + 1)
        else
            term.setCursorPos(1, height)
            term.scroll(1)
        end
        x, y = term.getCursorPos()
        lines = lines + 1
    end

    local function put(part)
        term.write(part)
        x, y = term.getCursorPos()
    end

    local position, length = 1, #text
    while position <= length do
        local blank = text:match("^[ \t]+", position)
        if blank then
            put(blank)
            position = position + #blank
        elseif text:sub(position, position) == "\n" then
            new_line()
            position = position + 1
        else
            local word = text:match("^[^ \t\n]+", position)
            position = position + #word
            if #word <= width then
                if x + #word - 1 > width then new_line() end
                put(word)
            else
                while #word > 0 do
                    if x > width then new_line() end
                    local room = math.max(width - x + 1, 1)
                    put(word:sub(1, room))
                    word = word:sub(room + 1)
                end
            end
        end
    end
    return lines
end

--- Writes its arguments, separated by tabs, and ends the line.
---@return number lines
function _G.print(...)
    local lines = 0
    local count = select("#", ...)
    for index = 1, count do
        local text = tostring((select(index, ...)))
        if index < count then text = text .. "\t" end
        lines = lines + write(text)
    end
    return lines + write("\n")
end

--- Prints in red where the terminal has colours.
function _G.printError(...)
    local colour
    if term.isColour() then
        colour = term.getTextColour()
        term.setTextColour(colors.red)
    end
    print(...)
    if colour then term.setTextColour(colour) end
end

--- Reads a line from the user.
---@param replace_char string|nil shown instead of what is typed
---@param history string[]|nil
---@param complete function|nil called with the line so far, returns its endings
---@param default string|nil what stands in the line at first
---@return string
function _G.read(replace_char, history, complete, default)
    expect(1, replace_char, "string", "nil")
    expect(2, history, "table", "nil")
    expect(3, complete, "function", "nil")
    expect(4, default, "string", "nil")
    return include("rom/modules/main/cc/internal/line_reader.lua")(replace_char, history, complete, default)
end

-- Loading ----------------------------------------------------------------

--- Loads a Lua file without running it.
---@param filename string
---@param mode string|table|nil
---@param env table|nil
---@return function|nil, string|nil
function _G.loadfile(filename, mode, env)
    -- The old form has the environment as its second argument.
    if type(mode) == "table" and env == nil then mode, env = nil, mode end

    expect(1, filename, "string")
    expect(2, mode, "string", "nil")
    expect(3, env, "table", "nil")

    local chunk, message = compile(filename, env or _G, mode)
    return chunk, message
end

--- Runs a Lua file in the global environment.
---@param filename string
function _G.dofile(filename)
    expect(1, filename, "string")
    local chunk, message = loadfile(filename, nil, _G)
    if not chunk then error(message, 2) end
    return chunk()
end

--- Runs a program in an environment; an error is printed.
---@param env table
---@param path string
---@return boolean
function os.run(env, path, ...)
    expect(1, env, "table")
    expect(2, path, "string")

    setmetatable(env, include("rom/modules/main/cc/internal/program_env.lua")())
    local chunk, message = loadfile(path, nil, env)
    if not chunk then
        if message and message ~= "" then printError(message) end
        return false
    end

    local ok, problem = pcall(chunk, ...)
    if ok then return true end
    if problem and problem ~= "" then printError(problem) end
    return false
end

local loading_apis = {}

--- Loads a file and makes the globals that it sets a global table.
---@param path string
---@return boolean
function os.loadAPI(path)
    expect(1, path, "string")
    local name = fs.getName(path)
    if name:sub(-4) == ".lua" then name = name:sub(1, -5) end
    if loading_apis[name] then
        printError("API " .. name .. " is already being loaded")
        return false
    end
    loading_apis[name] = true

    local env = setmetatable({}, { __index = _G })
    local chunk, message = compile(path, env)
    local ok = chunk ~= nil
    if chunk then ok, message = pcall(chunk, include) end
    loading_apis[name] = nil
    if not ok then return error("Failed to load API " .. name .. " due to " .. tostring(message), 1) end

    local api = {}
    for key, value in pairs(env) do
        if key ~= "_ENV" then api[key] = value end
    end
    _G[name] = api
    return true
end

--- Forgets an API that was loaded with os.loadAPI.
---@param name string
function os.unloadAPI(name)
    expect(1, name, "string")
    if name ~= "_G" and type(_G[name]) == "table" then _G[name] = nil end
end

-- The names that programs written for Lua 5.1 expect ---------------------

if not _CC_DISABLE_LUA51_FEATURES then
    _G.bit = {
        bnot = bit32.bnot,
        band = bit32.band,
        bor = bit32.bor,
        bxor = bit32.bxor,
        brshift = bit32.arshift,
        blshift = bit32.lshift,
        blogic_rshift = bit32.rshift,
    }
end

-- APIs -------------------------------------------------------------------

local api_folders = { "rom/apis" }
if http then api_folders[#api_folders + 1] = "rom/apis/http" end
if turtle then api_folders[#api_folders + 1] = "rom/apis/turtle" end
if pocket then api_folders[#api_folders + 1] = "rom/apis/pocket" end
if commands then api_folders[#api_folders + 1] = "rom/apis/command" end

for _, folder in ipairs(api_folders) do
    if fs.isDir(folder) then
        for _, name in ipairs(fs.list(folder)) do
            if name:sub(-4) == ".lua" then
                local ok, message = pcall(os.loadAPI, folder .. "/" .. name)
                if not ok then printError(message) end
            end
        end
    end
end

local default_settings = include("rom/modules/main/cc/internal/default_settings.lua")
default_settings.define()

-- Up to here every computer is the same: an emulator that boots many may stop here and copy what there is.
if rawget(_G, "_CHECKPOINT") then
    _CHECKPOINT = nil
    coroutine.yield("checkpoint")
end

default_settings.apply()

-- The shell --------------------------------------------------------------

local shell_program = "rom/programs/shell.lua"
if term.isColour() and settings.get("bios.use_multishell") then
    shell_program = "rom/programs/advanced/multishell.lua"
end

local ok, problem = pcall(parallel.waitForAny,
    function()
        os.run({ include = include }, shell_program)
        os.run({}, "rom/programs/shutdown.lua")
    end,
    rednet.run
)

-- Something ended the shell from outside: say why, then turn off.
term.redirect(term.native())
if not ok then
    printError(problem)
    pcall(function()
        term.setCursorBlink(false)
        print("Press any key to continue")
        os.pullEvent("key")
    end)
end
os.shutdown()
while true do coroutine.yield() end
