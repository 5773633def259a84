-- The globals that a chunk sees. It may assign to any of them and to the functions of every API: all of that is gone
-- with the chunk, and touches neither this program nor another chunk.

local expect = require("cc.expect").expect

local real_globals = _G

---Copies the globals, and each API one level deep.
---@return table copy
---@return table<string, boolean> copied the names that are in it
local function copy_globals()
    local copy, copied = {}, {}
    for name, value in next, real_globals do
        if type(value) == "table" and value ~= real_globals and getmetatable(value) == nil then
            local api = {}
            for key, entry in next, value do
                api[key] = entry
            end
            value = api
        end
        copy[name], copied[name] = value, true
    end
    return copy, copied
end

---Replaces what prints, so that it is captured instead of shown.
local function add_output(env, put)
    local function write_lines(written)
        put(written)
        local _, lines = written:gsub("\n", "")
        return lines
    end

    function env.write(value)
        expect(1, value, "string", "number")
        return write_lines(tostring(value))
    end

    function env.print(...)
        local values = table.pack(...)
        for index = 1, values.n do
            values[index] = tostring(values[index])
        end
        return write_lines(table.concat(values, "\t", 1, values.n) .. "\n")
    end

    env.printError = env.print
end

---Replaces what loads code, so that its globals are the chunk's where it names none.
local function add_loaders(env)
    local load, loadfile = env.load, env.loadfile

    function env.load(chunk, name, mode, globals)
        return load(chunk, name, mode, globals or env)
    end

    function env.loadstring(chunk, name)
        if type(name) == "string" and not name:find("^[=@]") then
            name = "=" .. name
        end
        return load(chunk, name, nil, env)
    end

    function env.loadfile(path, mode, globals)
        if type(mode) == "table" and globals == nil then
            mode, globals = nil, mode
        end
        return loadfile(path, mode, globals or env)
    end

    function env.dofile(path)
        expect(1, path, "string")
        local loaded, problem = env.loadfile(path)
        if not loaded then
            error(problem, 2)
        end
        return loaded()
    end
end

---Makes the globals for one chunk.
---@param program_env table the globals of the program: `shell`, `multishell` and `require` come from there
---@param put fun(text: string) takes what the chunk prints
---@return table
local function new(program_env, put)
    local env, copied = copy_globals()
    env._G = env
    env.shell = program_env.shell
    env.multishell = program_env.multishell
    add_output(env, put)
    add_loaders(env)
    -- A global that comes to be later, by `os.loadAPI` for example, is seen. What the chunk has set to nil stays nil:
    -- the real one must not come to light behind it.
    setmetatable(env, {
        __index = function(_, name)
            if not copied[name] then
                return real_globals[name]
            end
        end,
    })
    local ok, maker = pcall(program_env.require, "cc.require")
    if ok then
        env.require, env.package = maker.make(env, "/")
        local loaded = env.package.loaded
        for name in pairs(loaded) do
            -- What `require` gives must not be the real API, either.
            if copied[name] and type(env[name]) == "table" then
                loaded[name] = env[name]
            end
        end
    else
        env.require, env.package = program_env.require, program_env.package
    end
    return env
end

return { new = new }
