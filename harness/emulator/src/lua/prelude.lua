-- The base environment where Lua 5.2 alone differs from what a ComputerCraft computer has.
-- It runs before the bios and leaves no global of its own.
local load_text = ...

local native_load, getinfo = load, debug.getinfo
local getupvalue, setupvalue = debug.getupvalue, debug.setupvalue
local upvalueid, upvaluejoin = debug.upvalueid, debug.upvaluejoin
local type, error, select, tostring = type, error, select, tostring
local find, format, floor = string.find, string.format, math.floor
local table_pack, table_unpack = table.pack, table.unpack

print, dofile, loadfile = nil, nil, nil

local function type_of(count, index, ...)
    if index > count then return "no value" end
    return type((select(index, ...)))
end

-- Chunks are text, whatever the mode says.
function load(chunk, name, mode, ...)
    local kind = type(chunk)
    if kind == "number" then chunk, kind = tostring(chunk), "string" end
    if mode ~= nil and type(mode) ~= "string" then
        error("bad argument #3 (expected string, got " .. type(mode) .. ")", 2)
    end
    if name ~= nil and type(name) ~= "string" and type(name) ~= "number" then
        error("bad argument #2 (expected string, got " .. type(name) .. ")", 2)
    end
    if mode and not find(mode, "t", 1, true) then
        return nil, "attempt to load a text chunk (mode is '" .. mode .. "')"
    end
    if kind == "string" then
        local fn, message = load_text(chunk, name and tostring(name) or chunk)
        if not fn then return nil, message end
        if select("#", ...) > 0 then setupvalue(fn, 1, (...)) end
        return fn
    elseif kind == "function" then
        return native_load(chunk, name or "=(load)", "t", ...)
    end
    error("bad argument #1 (expected function or string, got " .. kind .. ")", 2)
end

function loadstring(chunk, name)
    if type(chunk) ~= "string" and type(chunk) ~= "number" then
        error("bad argument #1 (expected string, got " .. type(chunk) .. ")", 2)
    end
    chunk = tostring(chunk)
    return load_text(chunk, name and tostring(name) or chunk)
end

string.dump = nil
unpack = table_unpack

-- The upvalue through which a Lua function sees its globals.
local function env_index(fn)
    local index = 1
    while true do
        local name = getupvalue(fn, index)
        if not name then return nil end
        if name == "_ENV" then return index end
        index = index + 1
    end
end

local function resolve(target, level)
    if type(target) == "function" then return target end
    if type(target) ~= "number" then
        error("bad argument #1 (number or function expected, got " .. level .. ")", 3)
    end
    if target < 0 then error("bad argument #1 (level must be non-negative)", 3) end
    local info = getinfo(floor(target) + 2, "f")
    if not info then error("bad argument #1 (invalid level)", 3) end
    return info.func
end

local globals = _G

function getfenv(...)
    local target = ...
    if target == 0 then return globals end
    local fn = resolve(target, type_of(select("#", ...), 1, ...))
    if getinfo(fn, "S").what == "C" then return globals end
    local index = env_index(fn)
    if not index then return globals end
    local _, env = getupvalue(fn, index)
    return env
end

function setfenv(...)
    local target, env = ...
    if type(env) ~= "table" then
        error("bad argument #2 (expected table, got " .. type_of(select("#", ...), 2, ...) .. ")", 2)
    end
    local fn = resolve(target, type_of(select("#", ...), 1, ...))
    if getinfo(fn, "S").what == "C" then
        error("'setfenv' cannot change environment of given object", 2)
    end
    local index = env_index(fn)
    if index then
        -- A fresh upvalue, so that functions which shared the old one keep their globals.
        upvaluejoin(fn, index, function() return env end, 1)
    end
    if target ~= 0 and type(target) == "number" then return fn end
    return fn
end

-- The debug library may look at Lua functions only: inside C functions are pointers.
local function lua_only(name, native)
    return function(fn, ...)
        if type(fn) == "function" and getinfo(fn, "S").what == "C" then
            if name == "getupvalue" or name == "setupvalue" then return nil end
            error("bad argument #1 (Lua function expected)", 2)
        end
        return native(fn, ...)
    end
end
debug.getupvalue = lua_only("getupvalue", getupvalue)
debug.setupvalue = lua_only("setupvalue", setupvalue)
debug.upvalueid = lua_only("upvalueid", upvalueid)
function debug.upvaluejoin(f1, n1, f2, n2)
    for index, fn in pairs({ [1] = f1, [3] = f2 }) do
        if type(fn) ~= "function" or getinfo(fn, "S").what == "C" then
            error("bad argument #" .. index .. " (Lua function expected)", 2)
        end
    end
    return upvaluejoin(f1, n1, f2, n2)
end
local setlocal = debug.setlocal
function debug.setlocal(thread, level, index, value)
    local info
    if type(thread) == "thread" then
        info = getinfo(thread, level, "S")
    else
        thread, level, index, value = nil, thread, level, index
        info = type(level) == "number" and getinfo(level + 1, "S")
    end
    if not info or info.what == "C" then return nil end
    if thread then return setlocal(thread, level, index, value) end
    return setlocal(level + 1, index, value)
end
function debug.getregistry() return {} end
-- The hook is the emulator's own: it ends chunks that do not yield.
function debug.sethook() end
function debug.gethook() return nil end
debug.debug = nil
debug.getfenv, debug.setfenv = getfenv, setfenv

function coroutine.isyieldable()
    local _, main = coroutine.running()
    return not main
end

function math.log10(number) return math.log(number, 10) end

function table.getn(list) return #list end
function table.setn() end
function table.maxn(list)
    local largest = 0
    for key in next, list do
        if type(key) == "number" and key > largest then largest = key end
    end
    return largest
end
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
function table.move(from, first, last, to, target)
    target = target or from
    if last >= first then
        if to > last or to <= first or target ~= from then
            for offset = 0, last - first do target[to + offset] = from[first + offset] end
        else
            for offset = last - first, 0, -1 do target[to + offset] = from[first + offset] end
        end
    end
    return target
end

__inext = function(list, index)
    index = index + 1
    local value = list[index]
    if value ~= nil then return index, value end
end

local next_code = utf8.next_code
utf8.next_code = nil
utf8.charpattern = "[\0-\x7F\xC2-\xF4][\x80-\xBF]*"
function utf8.codes(text)
    if type(text) ~= "string" and type(text) ~= "number" then
        error("bad argument #1 (expected string, got " .. type(text) .. ")", 2)
    end
    return next_code, tostring(text), 0
end
