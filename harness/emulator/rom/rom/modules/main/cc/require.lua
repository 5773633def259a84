-- cc.require: makes the `require` and `package` of a program.

local include = type((...)) == "function" and (...) or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

-- Stands in package.loaded while a module is being loaded.
local loading = {}

--- Finds a module in package.preload.
local function preload_loader(package)
    return function(name)
        local loader = package.preload[name]
        if loader then return loader end
        return nil, "no field package.preload['" .. name .. "']"
    end
end

--- Finds a module as a file.
local function file_loader(package, env)
    return function(name)
        local path, message = package.searchpath(name, package.path)
        if not path then return nil, message end
        local chunk, problem = loadfile(path, nil, env)
        if chunk then return chunk, path end
        return nil, problem
    end
end

--- Makes `package` and `require` for an environment.
---@param env table the environment that modules run in
---@param dir string the folder that relative paths start from
---@return function require, table package
local function make(env, dir)
    expect(1, env, "table")
    expect(2, dir, "string")

    local package = {
        loaded = {
            _G = _G,
            bit32 = bit32,
            coroutine = coroutine,
            debug = debug,
            math = math,
            os = os,
            string = string,
            table = table,
            utf8 = utf8,
        },
        preload = {},
        config = "/\n;\n?\n!\n-",
    }
    package.loaded.package = package
    -- The table that the natives keep under an empty name.
    package.loaded[""] = rawget(_G, "")

    package.path = "?;?.lua;?/init.lua;/rom/modules/main/?;/rom/modules/main/?.lua;/rom/modules/main/?/init.lua"
    if settings then package.path = settings.get("shell.package_path") or package.path end

    --- Finds the file of a module.
    function package.searchpath(name, path, separator, replacement)
        expect(1, name, "string")
        expect(2, path, "string")
        separator = expect(3, separator, "string", "nil") or "."
        replacement = expect(4, replacement, "string", "nil") or "/"

        local file_name = name:gsub("%" .. separator:sub(1, 1), (replacement:gsub("%%", "%%%%")))
        local tried = {}
        for pattern in path:gmatch("[^;]+") do
            local candidate = pattern:gsub("%?", (file_name:gsub("%%", "%%%%")))
            if candidate:sub(1, 1) ~= "/" then candidate = fs.combine(dir, candidate) end
            if fs.exists(candidate) and not fs.isDir(candidate) then return candidate end
            tried[#tried + 1] = "no file '" .. candidate .. "'"
        end
        return nil, table.concat(tried, "\n  ")
    end

    package.loaders = { preload_loader(package), file_loader(package, env) }

    --- Loads a module, or returns it when it was loaded.
    local function require(name)
        expect(1, name, "string")
        if package.loaded[name] == loading then
            error("loop or previous error loading module '" .. name .. "'", 0)
        end
        if package.loaded[name] ~= nil then return package.loaded[name] end

        local message = "module '" .. name .. "' not found:"
        for _, searcher in ipairs(package.loaders) do
            local found = table.pack(searcher(name))
            if found[1] then
                package.loaded[name] = loading
                local result = found[1](name, table.unpack(found, 2, found.n))
                if result == nil then result = true end
                package.loaded[name] = result
                return result
            end
            message = message .. "\n  " .. tostring(found[2])
        end
        error(message, 2)
    end

    return require, package
end

return { make = make }
