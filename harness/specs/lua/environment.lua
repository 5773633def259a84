-- The globals of a spec: those of the computer, what builds the tree, expectations, and `require`.

local part = ...
local busted = part("busted")
local failures = part("failures")

local pairs, ipairs, setmetatable, real = pairs, ipairs, setmetatable, _G
local get_folder, combine = fs.getDir, fs.combine
local make_require = require("cc.require").make

local current_finally

local function finally(body)
    if not current_finally then
        error("finally: it is for a test that runs", 2)
    end
    current_finally(body)
end

---Fails the test that runs.
local function fail(message)
    failures.fail(message == nil and "failed" or tostring(message))
end

---Makes the globals of a spec.
---@param path string the spec's file
---@param builders table `describe`, `it` and their like
---@return table
local function new(path, builders)
    local env = setmetatable({}, { __index = real })
    env.shell, env.multishell = shell, multishell
    for name, builder in pairs(builders) do
        env[name] = builder
    end
    env.expect = part("expect")
    env.assert, env.spy, env.stub = busted.assert, busted.spy, busted.stub
    env.fail, env.finally = fail, finally
    env.require, env.package = make_require(env, "/")
    -- Modules are found from the root of the disk, beside the spec, and from the folders that the project names.
    local folders = { get_folder(path) }
    for _, folder in ipairs(part("plan").folders) do
        folders[#folders + 1] = folder
    end
    for _, folder in ipairs(folders) do
        for _, form in ipairs({ "?", "?.lua", "?/init.lua" }) do
            env.package.path = env.package.path .. ";/" .. combine(folder, form)
        end
    end
    -- What a suite for busted gets from its module.
    local library = { assert = env.assert, spy = env.spy, stub = env.stub, finally = finally }
    for name, builder in pairs(builders) do
        library[name] = builder
    end
    env.package.loaded["busted"] = library
    env.package.loaded["craftos.test"] = part("drive").new(env)
    return env
end

---Says what `finally` does in the test that begins.
local function set_finally(take)
    current_finally = take
end

return { new = new, set_finally = set_finally }
