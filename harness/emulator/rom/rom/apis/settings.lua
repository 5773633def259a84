-- settings: values by name, for the system and for programs. What is declared has a
-- default, and may have a type; what was set is kept apart from that.

local include = ... or dofile
local checks = include("rom/modules/main/cc/expect.lua")
local expect, field = checks.expect, checks.field

local api = _ENV

local DEFAULT_FILE = ".settings"

-- What can be written to a file and read again, in the order of messages.
local STORABLE = { "number", "string", "boolean", "table" }
local storable = {}
for place, kind in ipairs(STORABLE) do storable[kind] = place end

--- Copies a value of a stranger, so that nobody changes a setting through a table that they
--- hold. Raises if it could not be written to a file.
local function taken(value)
    local is_table = type(value) == "table"
    return is_table and textutils.unserialize(textutils.serialize(value, { compact = true })) or value
end

--- Copies a value of ours, which holds no table twice.
local function given(value)
    if type(value) ~= "table" then return value end
    local copy = {}
    for key, entry in pairs(value) do copy[key] = given(entry) end
    return copy
end

---@class Setting
---@field name string
---@field declaration table|nil what it was declared as
---@field chosen any what it was set to
local Setting = {}
Setting.__index = Setting

---@type table<string, Setting>
local all = {}

--- Finds a setting; one that nobody spoke of before is new.
local function setting(name)
    if not all[name] then all[name] = setmetatable({ name = name }, Setting) end
    return all[name]
end

--- Returns what holds now: what it was set to, or else its default.
function Setting:current()
    local value, declaration = self.chosen, self.declaration
    if value == nil and declaration then value = declaration.default end
    return value
end

--- Sets it and tells the programs. nil goes back to the default.
function Setting:choose(value)
    local old = self:current()
    self.chosen = value
    if old ~= value then os.queueEvent("setting_changed", self.name, value, old) end
end

--- Returns the type that its values must have, if it was declared with one.
function Setting:kind()
    return self.declaration and self.declaration.type
end

--- Calls a function for each setting that something is known of, or that was set.
local function each(only_set, visit)
    for name, entry in pairs(all) do
        if entry.chosen ~= nil or entry.declaration and not only_set then visit(entry, name) end
    end
end

--- Declares a setting.
---@param name string
---@param options table|nil
function api.define(name, options)
    expect(1, name, "string")
    expect(2, options, "table", "nil")
    local declaration = {}
    if options then
        for _, key in ipairs({ "description", "type" }) do declaration[key] = field(options, key, "string", "nil") end
        field(options, "default", "nil", table.unpack(STORABLE))
        declaration.default = taken(options.default)
    end
    local kind = declaration.type
    if kind and not storable[kind] then
        error(("Unknown type %q. Expected one of %s."):format(kind, table.concat(STORABLE, ", ")), 2)
    end
    setting(name).declaration = declaration
end

--- Takes a declaration back; the value stays.
---@param name string
function api.undefine(name)
    expect(1, name, "string")
    setting(name).declaration = nil
end

--- Sets a value.
---@param name string
---@param value number|string|boolean|table
function api.set(name, value)
    expect(1, name, "string")
    expect(2, value, "number", "string", "boolean", "table")
    local entry = setting(name)
    local kind = entry:kind()
    if kind then expect(2, value, kind) end
    entry:choose(taken(value))
end

--- Returns a value: what was set, or the default that is given here, or the declared one.
---@param name string
---@param default any
---@return any
function api.get(name, default)
    expect(1, name, "string")
    local entry = all[name]
    if default ~= nil and (not entry or entry.chosen == nil) then return default end
    return entry and given(entry:current())
end

--- Returns all that is known of a setting.
---@param name string
---@return table
function api.getDetails(name)
    expect(1, name, "string")
    local entry = setting(name)
    local details = given(entry.declaration or {})
    details.value, details.changed = given(entry:current()), entry.chosen ~= nil
    return details
end

--- Goes back to the default.
---@param name string
function api.unset(name)
    expect(1, name, "string")
    setting(name):choose(nil)
end

--- Goes back to all defaults.
function api.clear()
    each(true, function(entry) entry:choose(nil) end)
end

--- Lists the settings that are declared or set.
---@return string[]
function api.getNames()
    local names = {}
    each(false, function(_, name) names[#names + 1] = name end)
    table.sort(names)
    return names
end

--- Reads values from a file; those that do not fit are left out.
---@param path string|nil
---@return boolean
function api.load(path)
    expect(1, path, "string", "nil")
    local file = fs.open(path or DEFAULT_FILE, "r")
    local content = file and file.readAll()
    if file then file.close() end
    local values = content and textutils.unserialize(content)
    if type(values) ~= "table" then return false end

    for name, value in pairs(values) do
        if type(name) == "string" and storable[type(value)] then
            local entry = setting(name)
            local fits = type(value) == (entry:kind() or type(value))
            local ok, copy = pcall(taken, value)
            if fits and ok then entry:choose(copy) end
        end
    end
    return true
end

--- Writes the values that were set to a file.
---@param path string|nil
---@return boolean
function api.save(path)
    expect(1, path, "string", "nil")
    local values = {}
    each(true, function(entry, name) values[name] = entry.chosen end)
    local file = fs.open(path or DEFAULT_FILE, "w")
    if not file then return false end
    file.write(textutils.serialize(values))
    file.close()
    return true
end
