-- A scripted peripheral as the test sees it: its methods, what they keep, how they were called, and how they fail.

local part = ...
local failures = part("failures")
local pauses = part("pauses")
local expect = require("cc.expect").expect

local setmetatable, type, error, tostring, huge = setmetatable, type, error, tostring, math.huge
local pairs, next, pack, queue_event = pairs, next, table.pack, os.queueEvent

-- Those that are attached, by name.
local attached = {}

---@class Device a peripheral as the test sees it
---@field name string
---@field state table what the methods keep
---@field calls table[] every call: `method` and `arguments`
local Device = {}
Device.__index = Device

---Queues an event with the peripheral's name before its arguments, as peripherals do.
function Device:queue(event, ...)
    expect(1, event, "string")
    queue_event(event, self.name, ...)
    return self
end

---Makes the next calls of a method fail: all of them, or as many as are said.
function Device:fail(method, message, times)
    expect(1, method, "string")
    if not self.methods[method] then
        failures.fail(("fail: the peripheral %s has no method %s"):format(self.name, method))
    end
    self.failing[method] = { message = message or "failed", left = times or huge }
    return self
end

---Lets a method work again.
function Device:mend(method)
    self.failing[method] = nil
    return self
end

---Takes the peripheral away; the computer gets `peripheral_detach`.
function Device:detach()
    if attached[self.name] ~= self then
        failures.fail(("detach: the peripheral %s is not attached"):format(self.name))
    end
    attached[self.name] = nil
    queue_event("peripheral_detach", self.name)
    return self
end

---Says whether the computer has it now.
function Device:is_attached()
    return attached[self.name] == self
end

---Attaches it again; the computer gets `peripheral`, unless it was there when the computer was turned on.
function Device:attach(is_at_boot)
    if attached[self.name] then
        failures.fail(("attach: there is a peripheral %s already"):format(self.name))
    end
    attached[self.name] = self
    if not is_at_boot then
        queue_event("peripheral", self.name)
    end
    return self
end

---Calls a method as a program does.
function Device:call(method, ...)
    local body = self.methods[method]
    if not body then
        error("No such method " .. tostring(method), 0)
    end
    self.calls[#self.calls + 1] = { method = method, arguments = pack(...) }
    local latency = self.latency
    if type(body) == "table" then
        latency, body = body.latency or latency, body.call
    end
    if latency and latency > 0 then
        pauses.wait(latency)
    end
    if attached[self.name] ~= self then
        error("No peripheral attached", 0)
    end
    local failing = self.failing[method]
    if failing then
        failing.left = failing.left - 1
        if failing.left <= 0 then
            self.failing[method] = nil
        end
        error(failing.message, 0)
    end
    return body(self, ...)
end

local function copy(value)
    if type(value) ~= "table" then
        return value
    end
    local result = {}
    for key, entry in pairs(value) do
        result[key] = copy(entry)
    end
    return result
end

local function is_latency(value)
    return value == nil or type(value) == "number" and value >= 0 and value < huge
end

---Reads what a file or a table says of a peripheral.
---@param name string
---@param definition table `type` or `types`, `methods`, and what it wants of `state` and `latency`
---@param state table|nil entries that its state has instead of its own
local function new_device(name, definition, state)
    local function wrong(message)
        failures.fail(("attach: the peripheral %s: %s"):format(name, message))
    end
    local types = definition.types or { definition.type }
    if type(types) ~= "table" or type(types[1]) ~= "string" then
        wrong('it needs a `type`, such as `type = "energy_cell"`')
    elseif type(definition.methods) ~= "table" or next(definition.methods) == nil then
        wrong("it needs `methods`, a table of functions")
    end
    for method, body in pairs(definition.methods) do
        local called = type(body) == "table" and body.call or body
        if type(method) ~= "string" or type(called) ~= "function" then
            wrong(("the method %s is not a function"):format(tostring(method)))
        elseif type(body) == "table" and not is_latency(body.latency) then
            wrong(("the `latency` of the method %s is not a number of seconds"):format(method))
        end
    end
    for key in pairs(definition) do
        local known = { type = true, types = true, methods = true, state = true, latency = true }
        if not known[key] then
            wrong(("it has no `%s`: what methods keep goes into `state`"):format(tostring(key)))
        end
    end
    if definition.state ~= nil and type(definition.state) ~= "table" then
        wrong("its `state` is not a table")
    elseif not is_latency(definition.latency) then
        wrong("its `latency` is not a number of seconds")
    end
    local kept = copy(definition.state or {})
    for key, value in pairs(state or {}) do
        kept[key] = copy(value)
    end
    return setmetatable({
        name = name,
        types = types,
        methods = definition.methods,
        state = kept,
        latency = definition.latency,
        calls = {},
        failing = {},
    }, Device)
end

---Takes all of them away without a word: the test that attached them has ended.
local function reset()
    for name in pairs(attached) do
        attached[name] = nil
    end
end

return { new = new_device, attached = attached, copy = copy, reset = reset }
