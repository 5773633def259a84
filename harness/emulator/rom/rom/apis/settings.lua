-- settings: options of the system and of programs, kept in the file .settings.

local include = ... or dofile
local expect_module = include("rom/modules/main/cc/expect.lua")
local expect, field = expect_module.expect, expect_module.field

local settings = _ENV

local DEFAULT_PATH = ".settings"
local valid_types = { "number", "string", "boolean", "table" }
local is_valid_type = {}
for _, name in ipairs(valid_types) do is_valid_type[name] = true end

local values = {}
local definitions = {}

--- Copies a value, so that a later change of a table does not change the setting.
local function copy(value)
    if type(value) ~= "table" then return value end
    local result = {}
    for key, element in pairs(value) do result[key] = copy(element) end
    return result
end

--- Sets a value that is known to be good. If that changes it, programs are told.
local function store(name, value)
    local old = values[name]
    if old == nil then
        local definition = definitions[name]
        old = definition and definition.default
    end
    values[name] = value
    if value ~= old then os.queueEvent("setting_changed", name, value, old) end
end

--- Declares a setting.
---@param name string
---@param options { description?: string, default?: any, type?: string }|nil
function settings.define(name, options)
    expect(1, name, "string")
    expect(2, options, "table", "nil")

    local definition = {}
    if options then
        definition.description = field(options, "description", "string", "nil")
        definition.default = copy(options.default)
        definition.type = field(options, "type", "string", "nil")
        if definition.type and not is_valid_type[definition.type] then
            error(("Unknown type %q. Expected one of %s."):format(definition.type, table.concat(valid_types, ", ")), 2)
        end
    end
    definitions[name] = definition
end

--- Forgets the declaration of a setting, not its value.
---@param name string
function settings.undefine(name)
    expect(1, name, "string")
    definitions[name] = nil
end

--- Changes a setting.
---@param name string
---@param value any what textutils.serialize takes
function settings.set(name, value)
    expect(1, name, "string")
    expect(2, value, "number", "string", "boolean", "table")

    local definition = definitions[name]
    if definition and definition.type then expect(2, value, definition.type) end
    if type(value) == "table" then
        local serialized = textutils.serialize(value)
        value = textutils.unserialize(serialized)
    end
    store(name, value)
end

--- Reads a setting.
---@param name string
---@param default any returned when the setting was not changed
---@return any
function settings.get(name, default)
    expect(1, name, "string")
    local value = values[name]
    if value ~= nil then return copy(value) end
    if default ~= nil then return default end
    local definition = definitions[name]
    return definition and copy(definition.default)
end

--- Describes a setting.
---@param name string
---@return table
function settings.getDetails(name)
    expect(1, name, "string")
    local details = copy(definitions[name]) or {}
    details.value = values[name]
    details.changed = details.value ~= nil
    if details.value == nil then details.value = details.default end
    return details
end

--- Sets a setting back to its default.
---@param name string
function settings.unset(name)
    expect(1, name, "string")
    store(name, nil)
end

--- Sets all settings back to their defaults.
function settings.clear()
    for name in pairs(values) do store(name, nil) end
end

--- Lists the names of the settings, declared or changed, in alphabetical order.
---@return string[]
function settings.getNames()
    local names = {}
    for name in pairs(definitions) do names[#names + 1] = name end
    for name in pairs(values) do
        if not definitions[name] then names[#names + 1] = name end
    end
    table.sort(names)
    return names
end

--- Reads settings from a file, over those that are there.
---@param path string|nil
---@return boolean
function settings.load(path)
    expect(1, path, "string", "nil")
    local handle = fs.open(path or DEFAULT_PATH, "r")
    if not handle then return false end
    local loaded = textutils.unserialize(handle.readAll() or "")
    handle.close()
    if type(loaded) ~= "table" then return false end

    for name, value in pairs(loaded) do
        local kind = type(value)
        if type(name) == "string" and is_valid_type[kind] then
            local definition = definitions[name]
            local fits = not definition or not definition.type or definition.type == kind
            -- What could not be saved again is not taken.
            if fits and pcall(textutils.serialize, value) then store(name, copy(value)) end
        end
    end
    return true
end

--- Writes the changed settings to a file.
---@param path string|nil
---@return boolean
function settings.save(path)
    expect(1, path, "string", "nil")
    local handle = fs.open(path or DEFAULT_PATH, "w")
    if not handle then return false end
    handle.write(textutils.serialize(values))
    handle.close()
    return true
end
