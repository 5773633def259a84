-- The globals that a chunk sees. It may assign to any of them and to the functions of every API: all of that is gone
-- with the chunk, and touches neither this program nor another chunk.
--
-- Copying every API takes longer than most chunks run. So each is copied when the chunk first names it, and all of them
-- as soon as the chunk can get hold of the table of its globals itself. Until then nothing tells the two apart.

local expect = require("cc.expect").expect

local real_globals = _G

-- What leads to the table of the globals, besides the name `_ENV` in the source.
local LEADS_TO_GLOBALS = {
    _G = true,
    debug = true,
    dofile = true,
    getfenv = true,
    load = true,
    loadfile = true,
    loadstring = true,
    package = true,
    require = true,
}

---Copies an API one level deep; anything else is given back as it is.
local function copied(value)
    if type(value) ~= "table" or value == real_globals or getmetatable(value) ~= nil then
        return value
    end
    local api = {}
    for key, entry in next, value do
        api[key] = entry
    end
    return api
end

-- What prints.
local PRINTS = { print = true, printError = true, write = true }

---Gives what prints, so that it is captured instead of shown.
local function printers(put)
    local function write_lines(written)
        put(written)
        local _, lines = written:gsub("\n", "")
        return lines
    end

    local function write(value)
        expect(1, value, "string", "number")
        return write_lines(tostring(value))
    end

    local function print(...)
        local values = table.pack(...)
        for index = 1, values.n do
            values[index] = tostring(values[index])
        end
        return write_lines(table.concat(values, "\t", 1, values.n) .. "\n")
    end

    return { write = write, print = print, printError = print }
end

---Gives what loads code, so that its globals are the chunk's where it names none.
local function loaders(globals)
    local load, loadfile = real_globals.load, real_globals.loadfile
    local made = {}

    function made.load(chunk, name, mode, env)
        return load(chunk, name, mode, env or globals)
    end

    function made.loadstring(chunk, name)
        if type(name) == "string" and not name:find("^[=@]") then
            name = "=" .. name
        end
        return load(chunk, name, nil, globals)
    end

    function made.loadfile(path, mode, env)
        if type(mode) == "table" and env == nil then
            mode, env = nil, mode
        end
        return loadfile(path, mode, env or globals)
    end

    function made.dofile(path)
        expect(1, path, "string")
        local loaded, problem = globals.loadfile(path)
        if not loaded then
            error(problem, 2)
        end
        return loaded()
    end

    return made
end

---@class Environment
---@field globals table what the chunk sees
---@field private program_env table
---@field private put fun(text: string) takes what the chunk prints
---@field private replaced table<string, table> functions of APIs that are others for a chunk
---@field private settled table<string, boolean> names that have their value, also where the chunk has made it nil
---@field private is_whole boolean whether everything was copied
---@field private computer_require function|nil
local Environment = {}
Environment.__index = Environment

---Gives the copy of a real global.
function Environment:copy(name)
    local copy = copied(real_globals[name])
    local replaced = self.replaced[name]
    if replaced and type(copy) == "table" then
        for key, replacement in next, replaced do
            copy[key] = replacement
        end
    end
    return copy
end

---Sets a global, unless the chunk has it already.
function Environment:settle(name, value)
    if not self.settled[name] then
        self.settled[name] = true
        rawset(self.globals, name, value)
    end
end

---Sets several globals in the same way.
function Environment:settle_all(values)
    for name, value in next, values do
        self:settle(name, value)
    end
end

---Gives a global that the chunk has named for the first time, or that comes to be later, by `os.loadAPI` for example.
---What the chunk has set to nil stays nil: the real one must not come to light behind it.
function Environment:find(name)
    if self.settled[name] then
        return nil
    elseif LEADS_TO_GLOBALS[name] and not self.is_whole then
        self:complete()
        return rawget(self.globals, name)
    elseif PRINTS[name] then
        self:settle_all(printers(self.put))
        return rawget(self.globals, name)
    end
    local value = real_globals[name]
    local kind = type(value)
    if kind == "function" or kind == "table" then
        value = self:copy(name)
        self:settle(name, value)
    end
    return value
end

---Copies what was not copied yet.
function Environment:complete()
    if self.is_whole then
        return
    end
    self.is_whole = true
    local globals = self.globals
    getmetatable(globals).__newindex = nil
    self:settle("_G", globals)
    self:settle_all(printers(self.put))
    self:settle_all(loaders(globals))
    for name in next, real_globals do
        if not self.settled[name] then
            self:settle(name, self:copy(name))
        end
    end
    local of_program = self.program_env
    local ok, maker = pcall(of_program.require, "cc.require")
    local package
    if ok then
        self.computer_require, package = maker.make(globals, "/")
        local loaded = package.loaded
        for name in pairs(loaded) do
            -- What `require` gives must not be the real API, either.
            if self.settled[name] and type(globals[name]) == "table" then
                loaded[name] = globals[name]
            end
        end
    else
        self.computer_require, package = of_program.require, of_program.package
    end
    self:settle("require", self.computer_require)
    self:settle("package", package)
end

---Gives the `require` of the computer, also where the chunk has another.
---@return function
function Environment:require_of_computer()
    self:complete()
    return self.computer_require
end

---Compiles a source for these globals.
---@param source string
---@param name string
---@return function|nil
---@return string|nil problem
function Environment:load(source, name)
    if source:find("_ENV", 1, true) then
        self:complete()
    end
    return load(source, name, "t", self.globals)
end

---Makes the globals for one chunk.
---@param program_env table the globals of the program: `shell`, `multishell` and `require` come from there
---@param put fun(text: string) takes what the chunk prints
---@param replaced table<string, table> functions that stand in for those of an API, by the API's name
---@return Environment
local function new(program_env, put, replaced)
    local globals = { shell = program_env.shell, multishell = program_env.multishell }
    local environment = setmetatable({
        globals = globals,
        program_env = program_env,
        put = put,
        replaced = replaced,
        settled = {},
        is_whole = false,
    }, Environment)
    setmetatable(globals, {
        __index = function(_, name)
            return environment:find(name)
        end,
        __newindex = function(_, name, value)
            if LEADS_TO_GLOBALS[name] or real_globals[name] ~= nil then
                environment.settled[name] = true
            end
            rawset(globals, name, value)
        end,
    })
    return environment
end

return { new = new }
