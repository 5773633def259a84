-- Functions that remember how they were called, in the place of others; all are put back after each test.

local pack, unpack = table.pack, table.unpack
local setmetatable, getmetatable, type, error, ipairs = setmetatable, getmetatable, type, error, ipairs
local remove, select = table.remove, select
local rawset, rawget = rawset, rawget

local placed = {}

local Spy = {}
Spy.__index = Spy

---Calls what the spy stands for, and remembers it.
function Spy.__call(spy, ...)
    local call = { arguments = pack(...) }
    spy.calls[#spy.calls + 1] = call
    call.results = pack(spy.behaviour(...))
    return unpack(call.results, 1, call.results.n)
end

local function nothing() end

---Makes a spy that does what a function does.
---@param behaviour function|nil
local function new(behaviour)
    return setmetatable({ calls = {}, behaviour = behaviour or nothing }, Spy)
end

local function is_spy(value)
    return getmetatable(value) == Spy
end

---Puts a spy in the place of an entry of a table.
local function place(object, key, spy)
    if type(object) ~= "table" then
        error(("expected a table to put a spy into, not %s"):format(type(object)), 3)
    end
    local before = { object = object, key = key, value = rawget(object, key) }
    placed[#placed + 1] = before
    spy.placed = before
    -- The function that is placed is a function, so that `type` tells nothing.
    rawset(object, key, function(...)
        return spy(...)
    end)
    spy.standin = rawget(object, key)
    return spy
end

function Spy:revert()
    local before = self.placed
    if before then
        rawset(before.object, before.key, before.value)
        self.placed = nil
    end
    return self
end

function Spy:clear()
    self.calls = {}
    return self
end

---Sets what the spy returns from now on: `stub.returns(1, 2)`.
local function add_setters(spy)
    function spy.returns(...)
        local results = pack(...)
        spy.behaviour = function()
            return unpack(results, 1, results.n)
        end
        return spy
    end

    function spy.invokes(behaviour)
        spy.behaviour = behaviour
        return spy
    end

    return spy
end

---Says how often the spy was called with these arguments.
local function calls_with(spy, arguments, is_alike)
    local count = 0
    for _, call in ipairs(spy.calls) do
        local alike = call.arguments.n == arguments.n
        for index = 1, arguments.n do
            alike = alike and is_alike(call.arguments[index], arguments[index])
        end
        count = count + (alike and 1 or 0)
    end
    return count
end

---Finds the spy behind a value: itself, or what was put in its place in a table.
local function of(value)
    if is_spy(value) then
        return value
    end
    for _, before in ipairs(placed) do
        local spy = before.spy
        if spy and spy.standin == value then
            return spy
        end
    end
end

---Watches an entry of a table, which goes on doing what it did.
local function on(object, key)
    local spy = place(object, key, add_setters(new(object[key])))
    placed[#placed].spy = spy
    return spy
end

---Replaces an entry of a table: a function by another, or by one that returns the given values; anything else by the
---value itself, as in `stub(_G, "turtle", nil)`.
local function stub(object, key, ...)
    local spy = add_setters(new())
    local first = ...
    if select("#", ...) > 0 and type(first) ~= "function" and type(object[key]) ~= "function" then
        place(object, key, spy)
        rawset(object, key, first)
    else
        if type(first) == "function" then
            spy.behaviour = first
        else
            spy.returns(...)
        end
        place(object, key, spy)
    end
    placed[#placed].spy = spy
    return spy
end

---Puts back everything, the newest first.
local function restore()
    for index = #placed, 1, -1 do
        local before = remove(placed, index)
        rawset(before.object, before.key, before.value)
    end
end

return {
    new = function(behaviour)
        return add_setters(new(behaviour))
    end,
    on = on,
    stub = stub,
    of = of,
    calls_with = calls_with,
    restore = restore,
}
