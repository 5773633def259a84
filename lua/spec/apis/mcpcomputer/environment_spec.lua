-- Specs of apis/mcpcomputer/environment.lua: a chunk cannot tell that its globals are copied only as it names them.

local environments = require("/apis/mcpcomputer/environment")

local program_env = { shell = shell, multishell = multishell, require = require, package = package }

---Runs a chunk, and gives what it returns.
---@param replaced table|nil
local function run(code, replaced)
    local environment = environments.new(program_env, function() end, replaced or {})
    return assert(environment:load(code, "=spec"))()
end

describe("the globals of a chunk", function()
    it("are copied when they are named, and no others", function()
        local environment = environments.new(program_env, function() end, {})
        local globals = environment.globals
        expect(rawget(globals, "os")):same(nil)
        local time = assert(environment:load("return os.time", "=spec"))()
        expect(time == os.time):same(true)
        expect(rawget(globals, "os") ~= nil and rawget(globals, "os") ~= os):same(true)
        expect(rawget(globals, "textutils")):same(nil)
    end)

    -- Each gives the table of the globals.
    local WAYS = {
        ["_G"] = "return _G",
        ["_ENV"] = "return _ENV",
        ["_ENV in code that is loaded"] = "return load('return _ENV')()",
        ["loadstring"] = "local f = loadstring or load return f('return _ENV')()",
        ["package"] = "return package.loaded._G",
        ["require"] = "return require('_G')",
    }
    if rawget(_G, "getfenv") then
        -- Not a tail call: its level would be that of the caller.
        WAYS.getfenv = "local globals = getfenv(1) return globals"
    end
    if debug and debug.getupvalue then
        WAYS.debug = "local name, value = debug.getupvalue(function() return os end, 1) return value"
    end
    for way, code in pairs(WAYS) do
        it("are whole for who gets their table: " .. way, function()
            local globals = run(code)
            for name, value in next, _G do
                expect({ name, type(rawget(globals, name)) }):same({ name, type(value) })
            end
            for _, name in ipairs({ "require", "package", "_G", "print" }) do
                expect({ name, rawget(globals, name) ~= nil }):same({ name, true })
            end
            expect(globals._G == globals):same(true)
            expect(globals.os ~= os and globals.string ~= string):same(true)
        end)
    end

    it("are what the chunk has made of them, when the rest is copied", function()
        local code = "os.time = 5 string = nil load = 6 mine = 7 "
            .. "return _G.os.time, _G.string, _G.load, _G.mine, require('os').time"
        local values = table.pack(run(code))
        expect({ values[1], values[2], values[3], values[4], values[5] }):same({ 5, nil, 6, 7, 5 })
        expect(type(os.time)):same("function")
    end)

    it("that were set to nil stay nil, named before or not", function()
        local code = "os = nil local a = fs fs = nil print = nil _HOST = nil require = nil "
            .. "return os == nil, fs == nil, print == nil, _HOST == nil, _G.require == nil, _G.os == nil"
        for index, is_nil in ipairs({ run(code) }) do
            expect({ index, is_nil }):same({ index, true })
        end
    end)

    it("take in what comes to be later, also where it was set to nil before", function()
        local environment = environments.new(program_env, function() end, {})
        local chunk =
            assert(environment:load("spec_late = nil local step = ... step() return spec_late", "=spec"))
        local real = { value = 1 }
        local late = chunk(function()
            rawset(_G, "spec_late", real)
        end)
        rawset(_G, "spec_late", nil)
        real.value = 2
        expect(late):same({ value = 1 })
    end)

    it("have the functions that stand in for others", function()
        local replaced = { os = { time = 1 }, debug = { traceback = 2 } }
        expect(run("return os.time", replaced)):same(1)
        expect(run("return _G.os.time", replaced)):same(1)
        expect(run("return debug and debug.traceback", replaced)):same(debug and 2)
        expect(type(os.time)):same("function")
    end)
end)
