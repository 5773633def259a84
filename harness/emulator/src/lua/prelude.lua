-- The base environment where Lua 5.2 alone differs from what a ComputerCraft computer has.
-- It runs before the bios and leaves no global of its own.
local load_text, dispatch, whole, set_hook, load_path = ...

local native_load, getinfo = load, debug.getinfo
local getupvalue, setupvalue = debug.getupvalue, debug.setupvalue
local upvalueid, upvaluejoin = debug.upvalueid, debug.upvaluejoin
local type, error, select, tostring = type, error, select, tostring
local rawget, rawset = rawget, rawset
local find, match, sub = string.find, string.match, string.sub
local floor, min = math.floor, math.min
local table_pack, table_unpack, concat = table.pack, table.unpack, table.concat

print, dofile, loadfile = nil, nil, nil
rs = redstone

local function type_of(count, index, ...)
    if index > count then return "no value" end
    return type((select(index, ...)))
end

-- Computers show less of a chunk's name in messages than Lua does: 29 characters in all.
local full_names, full_name_count = {}, 0

--- The name to compile a chunk with, so that messages show it as computers do.
local function shown_name(name)
    local kind = sub(name, 1, 1)
    if kind ~= "@" and kind ~= "=" then
        local line = match(name, "^[^\n]*")
        if #name < 15 and #line == #name then return name end
        return '=[string "' .. sub(line, 1, 15) .. '..."]'
    end
    if #name <= 30 then return name end
    local short = kind == "@" and "@..." .. sub(name, -26) or sub(name, 1, 30)
    -- For debug.getinfo; a program that makes up names without end does not fill the memory.
    if not full_names[short] and full_name_count < 1000 then
        full_names[short] = name
        full_name_count = full_name_count + 1
    end
    return short
end

local load_text_as = load_text
function load_text(text, name) return load_text_as(text, shown_name(name)) end

--- What the compiler gets at a time of a text that a function gives.
local PIECE = 16384

-- Chunks are text, whatever the mode says.
function load(chunk, name, mode, ...)
    local kind = type(chunk)
    if kind == "number" then chunk, kind = tostring(chunk), "string" end
    if kind ~= "string" and kind ~= "function" then
        error("bad argument #1 (expected function or string, got " .. kind .. ")", 2)
    end
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
    else
        -- Through a function in Lua, and in pieces: one in C that gives pieces without end could not be stopped, nor could
        -- the compiler in a piece of many megabytes.
        local text, at
        local function read()
            if not text then
                local piece = chunk()
                if type(piece) ~= "string" or #piece <= PIECE then return piece end
                text, at = piece, 1
            end
            local piece = sub(text, at, at + PIECE - 1)
            at = at + PIECE
            if at > #text then text = nil end
            return piece
        end
        return native_load(read, name and shown_name(tostring(name)) or "=(load)", "t", ...)
    end
end

function loadstring(chunk, name)
    if type(chunk) ~= "string" and type(chunk) ~= "number" then
        error("bad argument #1 (expected string, got " .. type(chunk) .. ")", 2)
    end
    chunk = tostring(chunk)
    return load_text(chunk, name and tostring(name) or chunk)
end

string.dump = nil

-- The generational mode of Lua 5.2 was an experiment, and not a safe one.
local native_collect = collectgarbage
local collect_options = {}
for option in string.gmatch("collect count isrunning restart setpause setstepmul step stop", "%a+") do
    collect_options[option] = true
end
function collectgarbage(option, number)
    option = option == nil and "collect" or option
    if option == "generational" or option == "incremental" then return 0 end
    if not collect_options[option] then
        error("bad argument #1 (invalid option '" .. tostring(option) .. "')", 2)
    end
    if number == nil then return native_collect(option) end
    if type(number) ~= "number" then
        error("bad argument #2 (expected number, got " .. type(number) .. ")", 2)
    end
    -- No collector is slower or quicker than these make it; the first comparison is false for what is no number.
    number = number >= 0 and min(number, 1000000) or 0
    return native_collect(option, floor(number))
end
unpack = table_unpack

--- Whether a function is of the emulator: a program may call it, but not look into it or change it. In C functions are
--- pointers, and in those of this file are Lua's own `load`, which takes bytecode, and what else is kept from programs.
local function is_own(fn)
    local info = getinfo(fn, "S")
    return info.what == "C" or info.source == "=[prelude]"
end

--- The same for a function that runs, by what getinfo tells of it.
local function is_own_frame(info) return info.what == "C" or info.source == "=[prelude]" end

-- What a program gets instead of Lua's own functions, where it could see them at work.
local hidden = {}

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

--- No stack is deeper, and no function has as many locals: what is further away than that is nowhere.
local DEEPEST = 1000000

--- A number that Lua's own functions take for what it is: whole, and not so large that it turns into another. Any other
--- reads or writes outside of the stack.
local function checked(number, position)
    if type(number) ~= "number" then
        error("bad argument #" .. position .. " (expected number, got " .. type(number) .. ")", 3)
    end
    if number ~= floor(number) then
        error("bad argument #" .. position .. " (number has no integer representation)", 3)
    end
    if number > DEEPEST then return DEEPEST end
    if number < -DEEPEST then return -DEEPEST end
    return number
end

--- Options of getinfo are letters of its own: with another one Lua takes a value from a stack that has none.
local function checked_options(options, position)
    if options == nil then return "nSltuf" end
    if type(options) ~= "string" then
        error("bad argument #" .. position .. " (expected string, got " .. type(options) .. ")", 3)
    end
    if find(options, "[^nSltufL]") then error("bad argument #" .. position .. " (invalid option)", 3) end
    return options
end

local function resolve(target, level)
    if type(target) == "function" then return target end
    if type(target) ~= "number" then
        error("bad argument #1 (number or function expected, got " .. level .. ")", 3)
    end
    local info = target > -1 and target < DEEPEST and getinfo(floor(target) + 2, "f")
    if not info then error("bad argument #1 (invalid level)", 3) end
    return info.func
end

local globals = _G

function getfenv(...)
    local target = ...
    if type(target) == "number" and target > -1 and target < 1 then return globals end
    local fn = resolve(target, type_of(select("#", ...), 1, ...))
    if getinfo(fn, "S").what == "C" then return globals end
    local index = env_index(fn)
    if not index then return globals end
    local _, env = getupvalue(fn, index)
    return env
end

function setfenv(...)
    local target, env = ...
    if select("#", ...) < 2 then error("bad argument #2 (value expected)", 2) end
    -- The global table stays, without an error: programs try to replace it.
    if type(target) == "number" and target > -1 and target < 1 then return end
    local fn = resolve(target, type_of(select("#", ...), 1, ...))
    if is_own(fn) then error("'setfenv' cannot change environment of given object", 2) end
    local index = env_index(fn)
    if index then
        -- A fresh upvalue, so that functions which shared the old one keep their globals.
        upvaluejoin(fn, index, function() return env end, 1)
    end
    return fn
end

-- The debug library may look at the functions of programs only.
local function lua_only(name, native)
    return function(fn, index, ...)
        index = checked(index, 2)
        if type(fn) == "function" and is_own(fn) then
            if name == "getupvalue" or name == "setupvalue" then return nil end
            error("bad argument #1 (Lua function expected)", 2)
        end
        return native(fn, index, ...)
    end
end
debug.getupvalue = lua_only("getupvalue", getupvalue)
debug.setupvalue = lua_only("setupvalue", setupvalue)
debug.upvalueid = lua_only("upvalueid", upvalueid)
function debug.upvaluejoin(f1, n1, f2, n2)
    n1, n2 = checked(n1, 2), checked(n2, 4)
    if type(f1) ~= "function" or is_own(f1) then error("bad argument #1 (Lua function expected)", 2) end
    if type(f2) ~= "function" or is_own(f2) then error("bad argument #3 (Lua function expected)", 2) end
    return upvaluejoin(f1, n1, f2, n2)
end
function debug.getinfo(first, second, third)
    local thread, target, options, position
    if type(first) == "thread" then
        thread, target, options, position = first, second, third, 2
    else
        target, options, position = first, second, 1
    end
    if type(target) ~= "function" then
        if type(target) ~= "number" then
            error("bad argument #" .. position .. " (function or level expected)", 2)
        end
        target = checked(target, position)
    end
    options = checked_options(options, position + 1)
    local info
    if thread then
        info = getinfo(thread, target, options)
    else
        if type(target) == "number" then target = target + 1 end
        info = getinfo(target, options)
    end
    if info and info.source then info.source = full_names[info.source] or info.source end
    if info and info.func then info.func = hidden[info.func] or info.func end
    return info
end
local getlocal = debug.getlocal
function debug.getlocal(first, second, third)
    if type(first) == "thread" then
        local level, index = second, checked(third, 3)
        if type(level) == "function" then return getlocal(level, index) end
        level = checked(level, 2)
        local info = getinfo(first, level, "S")
        if info and is_own_frame(info) then return nil end
        return getlocal(first, level, index)
    end
    local index = checked(second, 2)
    if type(first) == "function" then return getlocal(first, index) end
    local level = checked(first, 1) + 1
    local info = getinfo(level, "S")
    if info and is_own_frame(info) then return nil end
    return getlocal(level, index)
end
local setlocal = debug.setlocal
function debug.setlocal(first, ...)
    if type(first) == "thread" then
        local level, index, value = ...
        level, index = checked(level, 2), checked(index, 3)
        local info = getinfo(first, level, "S")
        if not info or is_own_frame(info) then return nil end
        return setlocal(first, level, index, value)
    end
    local index, value = ...
    local level = checked(first, 1) + 1
    index = checked(index, 2)
    local info = getinfo(level, "S")
    if not info or is_own_frame(info) then return nil end
    return setlocal(level, index, value)
end
function debug.getregistry() return {} end
-- Programs' hooks stand beside the emulator's own, which ends chunks that do not yield.
local MASKS = { c = 1, r = 2, l = 4 }
local hooks = setmetatable({}, { __mode = "k" })
local running = coroutine.running
local function hook_arguments(first, ...)
    if type(first) == "thread" then return first, ... end
    return (running()), first, ...
end
function debug.sethook(...)
    local thread, hook, mask, count = hook_arguments(...)
    if hook == nil then
        hooks[thread] = nil
        return set_hook(thread, nil, 0, 0)
    end
    if type(hook) ~= "function" then
        error("bad argument #1 (expected function, got " .. type(hook) .. ")", 2)
    end
    if type(mask) ~= "string" then
        error("bad argument #2 (expected string, got " .. type(mask) .. ")", 2)
    end
    if count ~= nil and type(count) ~= "number" then
        error("bad argument #3 (expected number, got " .. type(count) .. ")", 2)
    end
    local every, bits, passed = count and floor(count) or 0, 0, 0
    for letter, bit in next, MASKS do
        if find(mask, letter, 1, true) then bits = bits + bit end
    end
    hooks[thread] = { hook, mask, every }
    -- The watch looks every 10000 instructions: a rarer count is made of several looks.
    local step = every > 0 and every < 10000 and every or 10000
    return set_hook(thread, function(event, line)
        if event == "count" then
            passed = passed + step
            if every <= 0 or passed < every then return end
            passed = 0
        end
        return hook(event, line)
    end, bits, step)
end
function debug.gethook(thread)
    local set = hooks[thread or running()]
    if set then return set[1], set[2], set[3] end
    return nil
end
debug.debug = nil
hidden[getinfo], hidden[getlocal], hidden[setlocal] = debug.getinfo, debug.getlocal, debug.setlocal
hidden[getupvalue], hidden[setupvalue] = debug.getupvalue, debug.setupvalue
hidden[upvalueid], hidden[upvaluejoin] = debug.upvalueid, debug.upvaluejoin
hidden[set_hook], hidden[native_collect] = debug.sethook, collectgarbage
hidden[native_load], hidden[load_text_as] = loadstring, loadstring
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

-- Functions of the libraries that may be yielded in, and others that differ in some cases.
local native_gsub, native_format = string.gsub, string.format

local function less_than(left, right) return left < right end

--- sort with a function: a merge sort, which asks few questions and bears any answer.
local function sort_with_function(list, less)
    less = less or less_than
    local length = #list
    -- Short runs are sorted by insertion.
    local run = 8
    for start = 1, length, run do
        for index = start + 1, math.min(start + run - 1, length) do
            local value, target = list[index], index
            while target > start and less(value, list[target - 1]) do
                list[target] = list[target - 1]
                target = target - 1
            end
            list[target] = value
        end
    end
    local from, to = list, {}
    while run < length do
        for start = 1, length, 2 * run do
            local middle, stop = math.min(start + run, length + 1), math.min(start + 2 * run, length + 1)
            local left, right = start, middle
            for target = start, stop - 1 do
                if left < middle and (right >= stop or not less(from[right], from[left])) then
                    to[target] = from[left]
                    left = left + 1
                else
                    to[target] = from[right]
                    right = right + 1
                end
            end
        end
        from, to = to, from
        run = 2 * run
    end
    if from ~= list then
        for index = 1, length do list[index] = from[index] end
    end
end

--- format with %q, which writes strings as Lua 5.1 does.
local function format_with_quote(text, ...)
    local arguments = table_pack(...)
    local index = 0
    local function quote(character)
        if character == "\n" then return "\\\n" end
        if character == "\r" then return "\\r" end
        if character == "\0" then return "\\000" end
        return "\\" .. character
    end
    local specifiers = native_gsub(text, "%%([%-+ #0]*%d*%.?%d*)(.?)", function(options, kind)
        if kind == "%" and options == "" then return nil end
        index = index + 1
        if kind ~= "q" then return nil end
        local value = arguments[index]
        if type(value) == "number" then value = tostring(value) end
        if type(value) ~= "string" then
            error("bad argument #" .. (index + 1) .. " (expected string, got "
                .. (index > arguments.n and "no value" or type(value)) .. ")", 4)
        end
        arguments[index] = '"' .. native_gsub(value, '[\n\r%z"\\]', quote) .. '"'
        return "%s"
    end)
    return native_format(specifiers, table_unpack(arguments, 1, arguments.n))
end

table.sort = dispatch(table.sort, sort_with_function, 2)
string.format = dispatch(native_format, format_with_quote, 3)
-- Positions outside of a list are let pass, as in Lua 5.1.
table.insert = dispatch(table.insert, function(list, position, value)
    local last = #list + 1
    if position > last then last = position end
    for index = last, position + 1, -1 do rawset(list, index, rawget(list, index - 1)) end
    rawset(list, position, value)
end, 5)
table.remove = dispatch(table.remove, function(list, position)
    local last = #list
    if position < 1 or position > last then return end
    local removed = rawget(list, position)
    for index = position, last - 1 do rawset(list, index, rawget(list, index + 1)) end
    rawset(list, last, nil)
    return removed
end, 6)
_G.tostring = dispatch(tostring, nil, 7)
for name, native in pairs(bit32) do bit32[name] = whole(native, name) end

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

--- The program of the ROM that runs what a computer starts with; while it runs, the computer starts.
local startup_program = "@/rom/startup.lua"
local booting, started = false, false
-- The chunk that it loads next: what other programs load under such a name is no startup.
local announced

--- Says which chunk the startup program loads next; it takes this away from programs.
function _STARTUP_NEXT(name) announced = name end

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
local plain_load = load
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

function load(chunk, name, ...)
    if type(chunk) == "string" and type(name) == "string" and (name == startup_program or booting) then
        return watched(name, plain_load(chunk, name, ...))
    end
    return plain_load(chunk, name, ...)
end

--- Loads a file for the bios, which takes this away from programs; false where it has to read the file itself.
function _LOAD_FILE(path, name, env)
    local chunk, message = load_path(path, shown_name(name))
    if chunk == false then return false end
    if chunk then setupvalue(chunk, 1, env) end
    if name == startup_program or booting then return watched(name, chunk, message) end
    return chunk, message
end
hidden[load_path] = loadstring

setmetatable(_G, {
    __newindex = function(target, key, value)
        if key == "write" and type(value) == "function" then
            setmetatable(target, nil)
            value = wrap_write(value)
        end
        rawset(target, key, value)
    end,
})
