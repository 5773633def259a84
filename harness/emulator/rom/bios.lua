-- bios.lua: completes the globals, loads the APIs, applies the settings and starts the
-- shell. It finds Lua and the natives of the emulator, and nothing else.

local VERSION = "CraftOS 1.9"

-- Files ------------------------------------------------------------------

-- The emulator compiles files of the ROM once for all computers. Other emulators offer no
-- such function.
local load_quickly = _LOAD_FILE
_LOAD_FILE = nil

-- The emulator copies the first of many computers where this is called.
local checkpoint = _CHECKPOINT
_CHECKPOINT = nil

local function no_quick_way() return false end

--- Compiles a file.
---@return function|nil chunk
---@return string|nil problem
local function compile(path, mode, env)
    local name = "@/" .. fs.combine(path, "")
    local plain = mode == nil or mode:find("t", 1, true)
    local chunk, problem = (plain and load_quickly or no_quick_way)(path, name, env)
    if chunk ~= false then return chunk, problem end

    local file = fs.open(path, "r")
    if not file then return nil, "File not found" end
    local source = file.readAll() or ""
    file.close()
    return load(source, name, mode, env)
end

-- What `include` has loaded, by path.
local included = {}

--- Loads a module of the ROM once for each computer. Modules are given this function.
local function include(path)
    local module = included[path]
    if module == nil then
        local chunk, problem = compile(path, "t", _G)
        if not chunk then error(problem, 0) end
        module = chunk(include)
        included[path] = module
    end
    return module
end

local expect = include("rom/modules/main/cc/expect.lua").expect

--- Compiles a file. The environment may stand in the place of the mode, as it once did.
function loadfile(filename, mode, env)
    expect(1, filename, "string")
    if env == nil and type(mode) == "table" then mode, env = nil, mode end
    expect(2, mode, "string", "nil")
    expect(3, env, "table", "nil")
    return compile(filename, mode, env or _G)
end

--- Runs a file with the globals.
function dofile(path)
    expect(1, path, "string")
    local chunk, problem = compile(path, nil, _G)
    if not chunk then error(problem, 2) end
    return chunk()
end

--- Compiles a text. Its name is shown as it is.
function loadstring(text, name)
    if type(name) == "string" and not name:find("^[=@]") then name = "=" .. name end
    return load(text, name)
end

-- Events -----------------------------------------------------------------

--- Waits for an event; Ctrl-T is one too.
function os.pullEventRaw(filter) return coroutine.yield(filter) end

local function unless_terminated(event, ...)
    if event == "terminate" then error("Terminated", 0) end
    return event, ...
end

--- Waits for an event; Ctrl-T ends the program.
function os.pullEvent(filter) return unless_terminated(coroutine.yield(filter)) end

--- Waits for some seconds.
function sleep(time)
    expect(1, time, "number", "nil")
    local timer, fired = os.startTimer(time or 0), nil
    while fired ~= timer do
        local _
        _, fired = os.pullEvent("timer")
    end
end

function os.sleep(time) return sleep(time) end

-- These answer only after they have stopped the computer: nothing may run in between.
for _, name in ipairs({ "shutdown", "reboot" }) do
    local stop = os[name]
    os[name] = function(...)
        stop(...)
        repeat coroutine.yield() until false
    end
end

function os.version() return VERSION end

-- Text -------------------------------------------------------------------

---@class Pen where text goes on, on the current terminal
---@field x number
---@field y number
---@field width number
---@field height number
---@field lines number how many were begun
local Pen = {}
Pen.__index = Pen

function Pen:new_line()
    self.lines = self.lines + 1
    self.x = 1
    if self.y < self.height then
        self.y = self.y + 1
        term.setCursorPos(1, self.y)
    else
        self.y = self.height
        term.setCursorPos(1, self.height)
        term.scroll(1)
    end
end

function Pen:put(text)
    term.write(text)
    self.x = self.x + #text
end

--- Puts a word where it fits; one that is wider than the terminal fills lines.
function Pen:put_word(word)
    local fits = self.x + #word - 1 <= self.width
    if not fits and #word <= self.width then
        self:new_line()
    elseif not fits then
        if self.x > self.width then self:new_line() end
        while self.x + #word - 1 > self.width do
            local room = self.width - self.x + 1
            self:put(word:sub(1, room))
            word = word:sub(room + 1)
            self:new_line()
        end
    end
    self:put(word)
end

--- Writes text; lines break between words.
---@param text string|number
---@return number lines
function write(text)
    expect(1, text, "string", "number")
    text = tostring(text)
    local x, y = term.getCursorPos()
    local width, height = term.getSize()
    -- Most text fits where it is.
    if x + #text - 1 <= width and not text:find("\n", 1, true) then
        if text ~= "" then term.write(text) end
        return 0
    end

    local pen = setmetatable({ x = x, y = y, width = width, height = height, lines = 0 }, Pen)
    for blanks, word, line_end in text:gmatch("([ \t]*)([^ \t\n]*)(\n?)") do
        if blanks ~= "" then pen:put(blanks) end
        if word ~= "" then pen:put_word(word) end
        if line_end ~= "" then pen:new_line() end
    end
    return pen.lines
end

--- Writes values with tabs between them and ends the line.
---@return number lines
function print(...)
    local lines, count = 0, select("#", ...)
    for index = 1, count do
        local text = tostring((select(index, ...)))
        lines = lines + write(index < count and text .. "\t" or text)
    end
    return lines + write("\n")
end

--- Prints in red, where there are colours.
function printError(...)
    local usual = term.getTextColour()
    if term.isColour() then term.setTextColour(colors.red) end
    print(...)
    term.setTextColour(usual)
end

--- Lets the user type a line.
---@param replaceChar string|nil what is shown in place of what is typed
---@param history string[]|nil
---@param completeFn function|nil
---@param default string|nil
---@return string
function read(replaceChar, history, completeFn, default)
    expect(1, replaceChar, "string", "nil")
    expect(2, history, "table", "nil")
    expect(3, completeFn, "function", "nil")
    expect(4, default, "string", "nil")
    local edit = include("rom/modules/main/cc/internal/line_reader.lua")
    return edit(replaceChar, history, completeFn, default)
end

-- Programs and APIs ------------------------------------------------------

local env_metatable = include("rom/modules/main/cc/internal/program_env.lua")

--- Runs a program; what goes wrong is printed.
---@param env table
---@param path string
---@return boolean ok
function os.run(env, path, ...)
    expect(1, env, "table")
    expect(2, path, "string")
    setmetatable(env, env_metatable())
    local chunk, problem = compile(path, nil, env)
    local ok = false
    if chunk then ok, problem = pcall(chunk, ...) end
    if ok then return true end
    if problem and problem ~= "" then printError(problem) end
    return false
end

--- Runs a file and collects the globals that it sets.
---@return table
local function exports_of(chunk, env, ...)
    chunk(...)
    local exports = {}
    for name, value in pairs(env) do
        if name ~= "_ENV" then exports[name] = value end
    end
    return exports
end

local function api_name(path)
    local name = fs.getName(path)
    return #name > 4 and name:gsub("%.lua$", "") or name
end

local being_loaded = {}

--- Makes the globals of a file an API.
---@param path string
---@return boolean ok
function os.loadAPI(path)
    expect(1, path, "string")
    local name = api_name(path)
    if being_loaded[name] then
        printError("API " .. name .. " is already being loaded")
        return false
    end

    being_loaded[name] = true
    local env = setmetatable({}, { __index = _G })
    local chunk, problem = compile(path, nil, env)
    local ok, exports = false, problem
    if chunk then ok, exports = pcall(exports_of, chunk, env) end
    being_loaded[name] = nil
    if not ok then error("Failed to load API " .. name .. " due to " .. tostring(exports), 1) end
    _G[name] = exports
    return true
end

--- Removes an API.
---@param name string
function os.unloadAPI(name)
    expect(1, name, "string")
    local is_api = name ~= "_G" and type(rawget(_G, name)) == "table"
    if is_api then _G[name] = nil end
end

-- What older programs know ------------------------------------------------

bit = {
    band = bit32.band,
    blogic_rshift = bit32.rshift,
    blshift = bit32.lshift,
    bnot = bit32.bnot,
    bor = bit32.bor,
    brshift = bit32.arshift,
    bxor = bit32.bxor,
}

if _CC_DISABLE_LUA51_FEATURES then
    for _, name in ipairs({ "bit", "getfenv", "loadstring", "setfenv", "unpack" }) do _G[name] = nil end
    math.log10, table.maxn = nil, nil
end

-- The APIs of the ROM ----------------------------------------------------

local api_folders = { "rom/apis" }
for _, part in ipairs({
    { "http", http },
    { "turtle", turtle },
    { "pocket", pocket },
    { "command", commands },
}) do
    local folder = "rom/apis/" .. part[1]
    if part[2] and fs.isDir(folder) then table.insert(api_folders, folder) end
end

for _, folder in ipairs(api_folders) do
    for _, file in ipairs(fs.list(folder)) do
        local path = fs.combine(folder, file)
        if file:sub(1, 1) ~= "." and not fs.isDir(path) then
            local env = setmetatable({}, { __index = _G })
            local chunk, problem = compile(path, "t", env)
            if not chunk then error(problem, 0) end
            _G[api_name(path)] = exports_of(chunk, env, include)
        end
    end
end

local default_settings = include("rom/modules/main/cc/internal/default_settings.lua")

-- Other computers begin here, with all that this one has: nothing above may depend on
-- which computer it is.
if checkpoint then checkpoint() end
default_settings.define()
default_settings.apply()

-- The shell --------------------------------------------------------------

local function run_shell()
    local several = term.isColour() and settings.get("bios.use_multishell")
    os.run({ include = include }, several and "rom/programs/advanced/multishell.lua" or "rom/programs/shell.lua")
end

local ok, problem = pcall(parallel.waitForAny, run_shell, rednet.run)
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
