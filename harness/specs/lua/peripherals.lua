-- Scripted peripherals: a table of methods that programs find with `peripheral`, as if it were a block beside the
-- computer. The functions of `peripheral` are wrapped once, so that a module which keeps one of them sees the scripted
-- ones too; what is not scripted is left to the functions that were there.

local part = ...
local devices = part("devices")
local failures = part("failures")
local expect = require("cc.expect").expect

local setmetatable, type, pcall, tostring = setmetatable, type, pcall, tostring
local pairs, ipairs, unpack, sort = pairs, ipairs, table.unpack, table.sort
local queue_event, open_file, load_code, globals = os.queueEvent, fs.open, load, _ENV

local attached = devices.attached
-- The devices of wrapped peripherals, for as long as a program keeps them.
local wrapped_devices = setmetatable({}, { __mode = "k" })

-- The emulator's own peripherals that the test has attached.
local created = {}

local native = {}
for name, body in pairs(peripheral) do
    native[name] = body
end

---Gives the device that a name or a wrapped peripheral stands for.
local function device_of(value)
    if type(value) == "table" then
        local device = wrapped_devices[value]
        -- It stays the wrapping of a peripheral that was taken away.
        return device and attached[device.name] == device and device or nil, device ~= nil
    end
    return attached[value], attached[value] ~= nil
end

local scripted = {}

function scripted.getNames()
    local names = native.getNames()
    local more = {}
    for name in pairs(attached) do
        more[#more + 1] = name
    end
    sort(more)
    for _, name in ipairs(more) do
        names[#names + 1] = name
    end
    return names
end

function scripted.isPresent(name)
    expect(1, name, "string")
    return attached[name] ~= nil or native.isPresent(name)
end

function scripted.getType(value)
    expect(1, value, "string", "table")
    local device, is_ours = device_of(value)
    if device then
        return unpack(device.types)
    elseif not is_ours then
        return native.getType(value)
    end
end

function scripted.hasType(value, wanted)
    expect(1, value, "string", "table")
    expect(2, wanted, "string")
    local device, is_ours = device_of(value)
    if not is_ours then
        return native.hasType(value, wanted)
    elseif device then
        for _, name in ipairs(device.types) do
            if name == wanted then
                return true
            end
        end
        return false
    end
end

function scripted.getMethods(name)
    expect(1, name, "string")
    local device = attached[name]
    if not device then
        return native.getMethods(name)
    end
    local methods = {}
    for method in pairs(device.methods) do
        methods[#methods + 1] = method
    end
    sort(methods)
    return methods
end

function scripted.getName(value)
    expect(1, value, "table")
    local device = wrapped_devices[value]
    return device and device.name or native.getName(value)
end

function scripted.call(name, method, ...)
    expect(1, name, "string")
    expect(2, method, "string")
    local device = attached[name]
    if not device then
        return native.call(name, method, ...)
    end
    return device:call(method, ...)
end

function scripted.wrap(name)
    expect(1, name, "string")
    local device = attached[name]
    if not device then
        return native.wrap(name)
    end
    local types = {}
    for index, kind in ipairs(device.types) do
        types[index], types[kind] = kind, true
    end
    local wrapped = setmetatable({}, {
        __name = "peripheral",
        name = name,
        type = device.types[1],
        types = types,
    })
    for method in pairs(device.methods) do
        wrapped[method] = function(...)
            return scripted.call(name, method, ...)
        end
    end
    wrapped_devices[wrapped] = device
    return wrapped
end

function scripted.find(kind, filter)
    expect(1, kind, "string")
    expect(2, filter, "function", "nil")
    local found = {}
    for _, name in ipairs(scripted.getNames()) do
        if scripted.hasType(name, kind) then
            local wrapped = scripted.wrap(name)
            if not filter or filter(name, wrapped) then
                found[#found + 1] = wrapped
            end
        end
    end
    return unpack(found)
end

for name, body in pairs(scripted) do
    peripheral[name] = body
end

---Reads what a Lua file says of a peripheral.
---@param code string
---@param path string how messages call it
---@return table definition
local function read(code, path)
    local function wrong(why)
        failures.fail(("attach: failed to read %s: %s"):format(path, tostring(why)))
    end
    local chunk, syntax = load_code(code, "@" .. path:gsub("^/", ""), "t", globals)
    if not chunk then
        wrong(syntax)
    end
    local ok, result = pcall(chunk)
    if not ok then
        wrong(result)
    elseif type(result) ~= "table" then
        wrong("it returns no table")
    end
    return result
end

---Fails where something is attached by this name.
local function check_free(name)
    if scripted.isPresent(name) then
        failures.fail(("attach: there is a peripheral %s already"):format(name))
    end
end

---Attaches a peripheral until the end of the test.
---@param name string a side, or a name as a wired network gives it
---@param definition table|string what it is, or a Lua file that returns that
---@return Device
local function attach(name, definition)
    expect(1, name, "string")
    expect(2, definition, "table", "string")
    if type(definition) == "string" then
        local file, why = open_file(definition, "r")
        if not file then
            failures.fail(("attach: failed to read %s: %s"):format(definition, tostring(why)))
        end
        local code = file.readAll()
        file.close()
        definition = read(code, definition)
    end
    check_free(name)
    return devices.new(name, definition):attach()
end

-- The methods of a modem, whose channels and messages are its state.
local modem_methods = {
    open = function(self, channel)
        self.state.open[channel] = true
    end,
    isOpen = function(self, channel)
        return self.state.open[channel] == true
    end,
    close = function(self, channel)
        self.state.open[channel] = nil
    end,
    closeAll = function(self)
        self.state.open = {}
    end,
    transmit = function(self, channel, reply, message)
        local sent = self.state.sent
        sent[#sent + 1] = { channel = channel, reply = reply, message = devices.copy(message) }
    end,
    isWireless = function(self)
        return self.state.wireless
    end,
}

---Attaches a modem that is alone in the air but for the test: `modem.state.sent` has what was sent.
local function modem(name, wireless)
    expect(1, name, "string")
    expect(2, wireless, "boolean", "nil")
    local device = attach(name, {
        type = "modem",
        methods = modem_methods,
        state = { open = {}, sent = {}, wireless = wireless ~= false },
    })
    ---Sends a message to the computer; says whether its channel is open.
    function device:send(channel, reply, message, distance)
        expect(1, channel, "number")
        expect(2, reply, "number")
        if not self.state.open[channel] then
            return false
        end
        queue_event("modem_message", self.name, channel, reply, devices.copy(message), distance or 1)
        return true
    end
    return device
end

---Attaches one of the emulator's own peripherals until the end of the test: `emulated("top", "modem")`.
local function emulated(name, kind)
    expect(1, name, "string")
    expect(2, kind, "string")
    if not periphemu then
        failures.fail("emulated: this emulator has no `periphemu`, which creates its own peripherals")
    end
    check_free(name)
    local ok, why = periphemu.create(name, kind)
    if not ok then
        failures.fail(
            ("emulated: the emulator did not create a %s at %s: %s"):format(kind, name, tostring(why))
        )
    end
    created[#created + 1] = name
    return native.wrap(name)
end

---Takes off those of the emulator that the test has attached.
local function reset()
    for index = #created, 1, -1 do
        periphemu.remove(created[index])
        created[index] = nil
    end
end

return {
    attach = attach,
    modem = modem,
    emulated = emulated,
    read = read,
    check_free = check_free,
    new = devices.new,
    reset = reset,
}
