-- cc.require: `require` and `package` for a program, relative to the folder of it.

local include = type((...)) == "function" and (...) or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

-- What nearly every program of the ROM needs. Programs share it, so that it is looked for and loaded once.
local shared = {
    ["cc.internal.program"] = "rom/modules/main/cc/internal/program.lua",
}

local default_path = include("rom/modules/main/cc/internal/module_path.lua")

-- Stands for a module while it is loaded, and for ever where that failed.
local UNFINISHED = {}

-- The libraries that a program has without asking for them.
local libraries = { "_G", "bit32", "coroutine", "debug", "math", "os", "string", "table", "utf8" }

--- Makes a pattern that finds a text as it is.
local function literal(text)
    return (text:gsub("%p", "%%%0"))
end

--- Makes a text that `gsub` inserts as it is.
local function inserted(text)
    return (text:gsub("%%", "%%%%"))
end

---@class Searcher what `package` and `require` of one program share
---@field env table
---@field folder string
---@field package table

--- Looks for a module's file in all places of a path.
---@return string|nil file
---@return string|nil problems
local function search_path(folder, name, path, separator, replacement)
    local below = name
    if name:find(separator, 1, true) then below = name:gsub(literal(separator), inserted(replacement)) end
    below = inserted(below)
    local tried = {}
    for template in path:gmatch("[^;]+") do
        local file = template:gsub("%?", below)
        local absolute = file:sub(1, 1) == "/" and file or fs.combine(folder, file)
        if fs.exists(absolute) and not fs.isDir(absolute) then return absolute end
        tried[#tried + 1] = "no file '" .. absolute .. "'"
    end
    return nil, table.concat(tried, "\n  ")
end

--- Makes the two ways to find what loads a module: given by the program, or in a file.
local function loaders_of(searcher)
    local function given(name)
        local loader = searcher.package.preload[name]
        if not loader then return nil, "no field package.preload['" .. name .. "']" end
        return loader
    end

    local function in_file(name)
        local file, problem = searcher.package.searchpath(name, searcher.package.path)
        if not file then return nil, problem end
        local chunk, message = loadfile(file, nil, searcher.env)
        if not chunk then return nil, message end
        return chunk, file
    end

    return { given, in_file }
end

--- Asks one loader after the other for a module.
---@return table found what the loader returned
local function find(searcher, name)
    local report = "module '" .. name .. "' not found:"
    for _, loader in ipairs(searcher.package.loaders) do
        local found = table.pack(loader(name))
        if found[1] then return found end
        report = report .. "\n  " .. found[2]
    end
    error(report, 3)
end

local function make_package(env, folder)
    local library = {
        config = "/\n;\n?\n!\n-",
        loaded = {},
        path = settings and settings.get("shell.package_path") or default_path,
        preload = {},
    }

    --- Looks for a module's file in all places of a path.
    function library.searchpath(name, path, sep, rep)
        expect(1, name, "string")
        expect(2, path, "string")
        local separator = expect(3, sep, "string", "nil") or "."
        local replacement = expect(4, rep, "string", "nil") or "/"
        return search_path(folder, name, path, separator, replacement)
    end

    for _, global in ipairs(libraries) do library.loaded[global] = _G[global] end
    library.loaded.package = library
    library.loaders = loaders_of({ env = env, package = library })
    return library
end

--- Makes `require` and `package`.
---@param env table where modules run
---@param dir string what relative paths are relative to
---@return function require
---@return table package
local function make(env, dir)
    expect(1, env, "table")
    expect(2, dir, "string")
    local library = make_package(env, dir)

    local function require(name)
        expect(1, name, "string")
        local module = library.loaded[name]
        if module == UNFINISHED then error("loop or previous error loading module '" .. name .. "'", 0) end
        if module ~= nil then return module end

        if shared[name] then
            module = include(shared[name])
            library.loaded[name] = module
            return module
        end
        local found = find({ package = library }, name)
        library.loaded[name] = UNFINISHED
        module = found[1](name, table.unpack(found, 2, found.n))
        -- A module that returns nothing was loaded all the same.
        if module == nil then module = true end
        library.loaded[name] = module
        return module
    end

    return require, library
end

return { make = make }
