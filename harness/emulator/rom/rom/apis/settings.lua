-- settings: values by name, for the system and for programs. What is declared has a
-- default, and may have a type; what was set is kept apart from that.

local include = ... or dofile
local checks = include("rom/modules/main/cc/expect.lua")
local expect, field = checks.expect, checks.field

local api = _ENV

local DEFAULT_FILE = ".settings"

-- By the name of the setting.
local declared, chosen = {}, {}

-- What can be written to a file and read again, in the order of messages.
local storable = { "number", "string", "boolean", "table" }
local is_storable = {}
for _, kind in ipairs(storable) do is_storable[kind] = true end

--- Copies a value, so that nobody changes a setting through a table that they hold.
local function copied(value)
    if type(value) ~= "table" then return value end
    return textutils.unserialize(textutils.serialize(value, { compact = true }))
end

--- Copies a value of ours, which holds no table twice.
local function duplicate(value)
    if type(value) ~= "table" then return value end
    local copy = {}
    for key, entry in pairs(value) do copy[key] = duplicate(entry) end
    return copy
end

local function effective(name)
    if chosen[name] ~= nil then return chosen[name] end
    local declaration = declared[name]
    return declaration and declaration.default
end

--- Puts a value in the place of the old one, and says so. nil goes back to the default.
local function replace(name, value)
    local before = effective(name)
    chosen[name] = value
    if value ~= before then os.queueEvent("setting_changed", name, value, before) end
end

local function fits(name, value)
    local declaration = declared[name]
    local kind = declaration and declaration.type
    return kind == nil or kind == type(value)
end

--- Declares a setting.
---@param name string
---@param options table|nil
function api.define(name, options)
    expect(1, name, "string")
    expect(2, options, "table", "nil")
    options = options or {}
    local declaration = {
        description = field(options, "description", "string", "nil"),
        type = field(options, "type", "string", "nil"),
        default = copied(field(options, "default", "number", "string", "boolean", "table", "nil")),
    }
    if declaration.type and not is_storable[declaration.type] then
        local known = table.concat(storable, ", ")
        error(("Unknown type %q. Expected one of %s."):format(declaration.type, known), 2)
    end
    declared[name] = declaration
end

--- Takes a declaration back; the value stays.
---@param name string
function api.undefine(name)
    expect(1, name, "string")
    declared[name] = nil
end

--- Sets a value.
---@param name string
---@param value number|string|boolean|table
function api.set(name, value)
    expect(1, name, "string")
    expect(2, value, "number", "string", "boolean", "table")
    if not fits(name, value) then expect(2, value, declared[name].type) end
    replace(name, copied(value))
end

--- Returns a value: what was set, or the default that is given here, or the declared one.
---@param name string
---@param default any
---@return any
function api.get(name, default)
    expect(1, name, "string")
    local value = chosen[name]
    if value == nil and default ~= nil then return default end
    return duplicate(effective(name))
end

--- Returns all that is known of a setting.
---@param name string
---@return table
function api.getDetails(name)
    expect(1, name, "string")
    local details = duplicate(declared[name] or {})
    details.changed = chosen[name] ~= nil
    details.value = duplicate(effective(name))
    return details
end

--- Goes back to the default.
---@param name string
function api.unset(name)
    expect(1, name, "string")
    replace(name, nil)
end

--- Goes back to all defaults.
function api.clear()
    local names = {}
    for name in pairs(chosen) do names[#names + 1] = name end
    for _, name in ipairs(names) do replace(name, nil) end
end

--- Lists the settings that are declared or set.
---@return string[]
function api.getNames()
    local union = {}
    for _, names in ipairs({ declared, chosen }) do
        for name in pairs(names) do union[name] = true end
    end
    local sorted = {}
    for name in pairs(union) do table.insert(sorted, name) end
    table.sort(sorted)
    return sorted
end

--- Opens a file, lets a function use it, and closes it. nil if it does not open.
local function with_file(path, mode, use)
    local file = fs.open(path, mode)
    if not file then return nil end
    local result = use(file)
    file.close()
    return result
end

--- Reads values from a file; those that do not fit are left out.
---@param path string|nil
---@return boolean
function api.load(path)
    expect(1, path, "string", "nil")
    local content = with_file(path or DEFAULT_FILE, "r", function(file) return file.readAll() end)
    local values = content and textutils.unserialize(content)
    if type(values) ~= "table" then return false end

    for name, value in pairs(values) do
        local usable = type(name) == "string" and is_storable[type(value)]
        local ok, copy = pcall(copied, value)
        if usable and ok and fits(name, value) then replace(name, copy) end
    end
    return true
end

--- Writes the values that were set to a file.
---@param path string|nil
---@return boolean
function api.save(path)
    expect(1, path, "string", "nil")
    return with_file(path or DEFAULT_FILE, "w", function(file)
        file.write(textutils.serialize(chosen))
        return true
    end) or false
end
