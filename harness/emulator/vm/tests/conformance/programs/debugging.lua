-- Tracebacks, levels and hooks: who is on the stack, and when a hook is told.

local function try(name, f, ...)
    local results = table.pack(pcall(f, ...))
    for i = 1, results.n do results[i] = tostring(results[i]) end
    print(name, table.concat(results, " | "))
end

--- A traceback without what runs the program.
local function trace(...)
    local text = debug.traceback(...)
    return (text:gsub("\n[^\n]*main chunk.*", ""))
end

try("plain", function() return trace("message", 2) end)
try("of a native", function() return trace("message", 1) end)
try("without a message", function() return trace(nil, 2) end)
try("of an error", function()
    return select(2, xpcall(function() error("x") end, function(m) return trace(m, 2) end))
end)
try("of an argument", function()
    return select(2, xpcall(function() string.rep() end, function(m) return trace(m, 2) end))
end)
try("of an operation", function()
    return select(2, xpcall(function() local a = nil + 1 end, function(m) return trace(m, 2) end))
end)
local waiting = coroutine.create(function() local x = 1 coroutine.yield() return x end)
coroutine.resume(waiting)
try("of a coroutine", function() return debug.traceback(waiting) end)
try("from a level", function() return debug.traceback(waiting, "m", 1) end)
local failed = coroutine.create(function() error("inside") end)
coroutine.resume(failed)
try("of a failed one", function() return debug.traceback(failed) end)
local resuming
resuming = coroutine.create(function()
    local inner = coroutine.wrap(function() return debug.traceback(resuming) end)
    return (inner())
end)
print(select(2, coroutine.resume(resuming)))

local function deep(n) if n == 0 then return trace("d") end return (deep(n - 1)) end
try("deep", deep, 40)
local function tail(n) if n == 0 then return (trace("d")) end return tail(n - 1) end
try("tail", tail, 3)
local methods = {}
function methods.get() local r = trace("d") return r end
try("field", function() local r = methods.get() return r end)
try("method", function() local r = methods:get() return r end)
function named() local r = trace("d") return r end
try("global", function() local r = named() return r end)
try("gsub", function() local r = string.gsub("x", "x", function() local r = trace("d") return r end) return r end)
try("sort", function() local r table.sort({ 1, 2 }, function() r = trace("d") end) return r end)
try("index", function()
    local r = setmetatable({}, { __index = function() local r = trace("d") return r end }).x
    return r
end)
try("add", function()
    local r = setmetatable({}, { __add = function() local r = trace("d") return r end }) + 1
    return r
end)
try("iterator", function() for r in function() local r = trace("d") return r end do return r end end)

-- Hooks.
local events
local function hooked(mask, f)
    events = {}
    debug.sethook(function(event, line)
        local info = debug.getinfo(2, "nSl")
        events[#events + 1] = event .. ":" .. tostring(line) .. ":" .. tostring(info.name) .. ":" .. info.what
        if event == "line" then assert(info.currentline == line) end
    end, mask)
    f()
    debug.sethook()
    print(mask, table.concat(events, " "))
end

hooked("l", function()
    local a = 1
    for i = 1, 2 do
        a = a + i
    end
    if a then
        a = 2
    else
        a = 3
    end
end)
local function callee(x)
    return x
end
hooked("cr", function()
    local a = callee(1)
    string.rep("x", 1)
    local b = callee(callee(1))
    pcall(callee, 1)
    pcall(error, "x")
    return callee(2)
end)
hooked("l", function() local a = callee(1)
    a = callee(2) end)
hooked("l", function()
    while true do
        if callee(1) then break end
    end
    local t = {
        a = 1,
        b = callee(2),
    }
    repeat local x = 1 until true
end)
hooked("c", function() coroutine.wrap(function() callee(1) end)() end)
-- What a call with any number of arguments has evaluated stays while a hook runs.
local function count(...) return select("#", ...), (select(-1, ...)) end
local kept
local function keep(...) kept = { ... } end
hooked("l", function()
    keep(count(1,
        table.unpack({ 1, 2, 3, 4, 5, 6, 7, 8 })
    ))
end)
print(kept[1], kept[2])
hooked("l", function()
    keep((function(...) return count(
        ...
    ) end)(1, 2, 3))
end)
print(kept[1], kept[2])
local total = 0
debug.sethook(function() total = total + 1 end, "", 10)
for i = 1, 100 do end
debug.sethook()
print(total > 5)
print(pcall(function()
    debug.sethook(function() debug.sethook() error("from the hook") end, "l")
    local x = 1
end))
debug.sethook()
print(debug.gethook())

-- What is known of functions.
local function show(info)
    print(info.source, info.short_src, info.what, info.currentline, info.linedefined, info.lastlinedefined,
        info.nups, info.nparams, info.isvararg, info.istailcall, info.name, info.namewhat)
end
show(debug.getinfo(string.rep))
show(debug.getinfo(callee))
show(debug.getinfo(load("return 1")))
;(function() show(debug.getinfo(1)) end)()
show(debug.getinfo(waiting, 0))
show(debug.getinfo(waiting, 1))
print(debug.getinfo(waiting, 2), debug.getlocal(waiting, 1, 1))
print(debug.getinfo(99))
local lines = {}
for line in pairs(debug.getinfo(hooked, "L").activelines) do lines[#lines + 1] = line end
table.sort(lines)
print(table.concat(lines, " "))
local function locals(a, b, ...)
    local c = 5
    do local d = 6 end
    local names = {}
    for i = 1, 20 do
        local name = debug.getlocal(1, i)
        if not name then break end
        names[#names + 1] = name
    end
    return table.concat(names, " ")
end
print(locals(1, 2, 3, 4))
print(debug.getlocal(locals, 1), debug.getlocal(locals, 2), debug.getlocal(locals, 3))
print((function(...) return debug.getlocal(1, -1) end)(7))
print((function(...) return debug.setlocal(1, -1, 9), ... end)(7))

-- An error in a reader is a result of load, and a reader may give numbers.
print(pcall(load, function() error("in the reader", 0) end))
print(pcall(load, function() return {} end))
local parts = { "return ", 4, 2 }
local at = 0
print(load(function() at = at + 1 return parts[at] end)())
print(pcall(function() rawset({}, nil, 1) end))
print(pcall(function() next({}, 5) end))
print(pcall(function() table.sort({ 1, "x" }) end))
print(pcall(string.format, "%5"), pcall(string.format, "%"))
print(table.remove({ 1, 2, 3 }, nil))
