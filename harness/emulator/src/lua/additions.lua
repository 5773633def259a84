-- What computers have besides the libraries of Lua, where it is said best in Lua: functions of old versions, and the two
-- places in which the emulator listens to the ROM. It runs before the bios and leaves no function of its own behind.
local type, error, tostring, pcall = type, error, tostring, pcall
local next, rawset, setmetatable = next, rawset, setmetatable

rs = redstone
unpack = table.unpack
string.dump, debug.debug = nil, nil
debug.getfenv, debug.setfenv = getfenv, setfenv

function math.log10(number) return math.log(number, 10) end

function table.maxn(list)
    local largest = 0
    for key in next, list do
        if type(key) == "number" and key > largest then largest = key end
    end
    return largest
end
function table.getn(list) return #list end
function table.setn() end
function table.foreach(list, fn)
    for key, value in next, list do
        local result = fn(key, value)
        if result ~= nil then return result end
    end
end
function table.foreachi(list, fn)
    for index = 1, #list do
        local result = fn(index, list[index])
        if result ~= nil then return result end
    end
end

__inext = function(list, index)
    index = index + 1
    local value = list[index]
    if value ~= nil then return index, value end
end

-- What is printed goes out as text too. The bios defines `write`, which is wrapped once it does.
local begin_text, end_text, startup_failed = term.begin_text, term.end_text, os.startup_failed
term.begin_text, term.end_text, os.startup_failed = nil, nil, nil

local function finish_text(ok, ...)
    end_text()
    if not ok then error((...), 0) end
    return ...
end

local function wrap_write(write)
    return function(text)
        local kind = type(text)
        if kind ~= "string" and kind ~= "number" then return write(text) end
        begin_text(text)
        return finish_text(pcall(write, text))
    end
end

setmetatable(_G, {
    __newindex = function(target, key, value)
        if key == "write" and type(value) == "function" then
            setmetatable(target, nil)
            value = wrap_write(value)
        end
        rawset(target, key, value)
    end,
})

--- The program of the ROM that runs what a computer starts with; while it runs, the computer starts.
local startup_program = "@/rom/startup.lua"
local booting, started = false, false
-- The chunk that it loads next: what other programs load under such a name is no startup.
local announced

--- Says which chunk the startup program loads next, or why it could not; it takes this away from programs.
function _STARTUP_NEXT(name, problem)
    announced = name
    if problem and booting then startup_failed(tostring(problem)) end
end

local function finish_boot(ok, ...)
    booting = false
    if not ok then
        startup_failed(tostring((...)))
        error((...), 0)
    end
    return ...
end

local function finish_startup(ok, ...)
    if not ok then
        if booting then startup_failed(tostring((...))) end
        error((...), 0)
    end
    return ...
end

--- Notes when what a computer starts with fails: nobody sits at its prompt.
local function watched(name, chunk, ...)
    if name == startup_program and chunk and not started then
        started = true
        return function(...)
            booting = true
            return finish_boot(pcall(chunk, ...))
        end
    elseif booting and name == announced then
        announced = nil
        if not chunk then
            startup_failed(tostring((...)))
        else
            return function(...) return finish_startup(pcall(chunk, ...)) end
        end
    end
    return chunk, ...
end

--- Loads a file for the bios, which takes this away from programs; false where it has to read the file itself.
local load_file = _LOAD_FILE
function _LOAD_FILE(path, name, env)
    if name ~= startup_program and not booting then return load_file(path, name, env) end
    local chunk, message = load_file(path, name, env)
    if chunk == false then return false end
    return watched(name, chunk, message)
end

--- Loads the code that the emulator was given; the startup program takes this away from programs.
function _STARTUP_CODE(name, env) return load_file(nil, name, env) end
