-- peripheral: what is attached to the computer, on its sides and through wired modems.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local native = peripheral
local api = _ENV

-- A modem with this type lends the peripherals of its cable.
local HUB = "peripheral_hub"

local SIDES = rs.getSides()

local function attached_to(name)
    return native.isPresent(name)
end

--- Goes through the sides that have a hub.
local function hubs()
    local index = 0
    return function()
        repeat
            index = index + 1
        until not SIDES[index] or (attached_to(SIDES[index]) and native.hasType(SIDES[index], HUB))
        return SIDES[index]
    end
end

--- Finds the hub that lends a peripheral.
local function hub_of(name)
    for side in hubs() do
        if native.call(side, "isPresentRemote", name) then return side end
    end
    return nil
end

-- What is asked of a peripheral beside the computer, and what of the hub of one that is
-- further away.
local questions = {
    call = { near = "call", far = "callRemote" },
    getMethods = { near = "getMethods", far = "getMethodsRemote" },
    getType = { near = "getType", far = "getTypeRemote" },
    hasType = { near = "hasType", far = "hasTypeRemote" },
}

--- Asks a peripheral, wherever it is; nil if it is nowhere.
local function ask(question, name, ...)
    if attached_to(name) then return native[questions[question].near](name, ...) end
    local hub = hub_of(name)
    if not hub then return nil end
    return native.call(hub, questions[question].far, name, ...)
end

--- Returns what a wrapped peripheral knows of itself.
---@return table|nil
local function wrapped(value)
    local about = getmetatable(value)
    return type(about) == "table" and about.__name == "peripheral" and about or nil
end

local NOT_WRAPPED = "bad argument #1 (table is not a peripheral)"

--- Lists what is attached.
---@return string[]
function api.getNames()
    local is_present, names, count = native.isPresent, {}, 0
    for index = 1, #SIDES do
        local side = SIDES[index]
        if is_present(side) then
            count = count + 1
            names[count] = side
            if native.hasType(side, HUB) then
                for _, name in ipairs(native.call(side, "getNamesRemote")) do
                    count = count + 1
                    names[count] = name
                end
            end
        end
    end
    return names
end

--- Says whether something is attached.
---@param name string
---@return boolean
function api.isPresent(name)
    expect(1, name, "string")
    return attached_to(name) or hub_of(name) ~= nil
end

--- Returns the types of a peripheral.
---@param peripheral string|table
---@return string|nil ...
function api.getType(peripheral)
    expect(1, peripheral, "string", "table")
    if type(peripheral) == "string" then return ask("getType", peripheral) end
    local about = wrapped(peripheral)
    if not about or type(about.types) ~= "table" then error(NOT_WRAPPED, 2) end
    return table.unpack(about.types)
end

--- Says whether a peripheral is of a type.
---@param peripheral string|table
---@param peripheral_type string
---@return boolean|nil
function api.hasType(peripheral, peripheral_type)
    expect(1, peripheral, "string", "table")
    expect(2, peripheral_type, "string")
    if type(peripheral) == "string" then return ask("hasType", peripheral, peripheral_type) end
    local about = wrapped(peripheral)
    if not about or type(about.types) ~= "table" then error(NOT_WRAPPED, 2) end
    return about.types[peripheral_type] == true
end

--- Lists the methods of a peripheral.
---@param name string
---@return string[]|nil
function api.getMethods(name)
    expect(1, name, "string")
    return ask("getMethods", name)
end

--- Returns the name of a wrapped peripheral.
---@param peripheral table
---@return string
function api.getName(peripheral)
    expect(1, peripheral, "table")
    local about = wrapped(peripheral)
    return about and type(about.name) == "string" and about.name or error(NOT_WRAPPED, 2)
end

--- Calls a method. What it raises is raised here, as in the game.
---@param name string
---@param method string
---@return any ...
function api.call(name, method, ...)
    expect(1, name, "string")
    expect(2, method, "string")
    return ask("call", name, method, ...)
end

--- Makes a table of a peripheral's methods.
---@param name string
---@return table|nil
function api.wrap(name)
    expect(1, name, "string")
    local methods = ask("getMethods", name)
    if not methods then return nil end

    local types = { ask("getType", name) }
    local about = { __name = "peripheral", name = name, type = types[1], types = types }
    for index = 1, #types do types[types[index]] = true end
    local object = {}
    for _, method in ipairs(methods) do
        object[method] = function(...) return ask("call", name, method, ...) end
    end
    return setmetatable(object, about)
end

--- Wraps all peripherals of a type that a function does not turn away.
---@param ty string
---@param filter nil|fun(name: string, wrapped: table): boolean
---@return table ...
function api.find(ty, filter)
    expect(1, ty, "string")
    expect(2, filter, "function", "nil")
    local found = {}
    for _, name in ipairs(api.getNames()) do
        local object = api.hasType(name, ty) and api.wrap(name)
        if object and (not filter or filter(name, object)) then table.insert(found, object) end
    end
    return table.unpack(found)
end
