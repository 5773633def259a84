-- peripheral: what is attached to the computer, on its sides and through the wired
-- modems there.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local api = _ENV

local native = peripheral
local sides = rs.getSides()

--- Finds the wired modem that a remote name is reachable through.
---@param name string
---@return string|nil side
local function hub_of(name)
    for _, side in ipairs(sides) do
        if native.hasType(side, "peripheral_hub") and native.call(side, "isPresentRemote", name) then
            return side
        end
    end
    return nil
end

--- Reads the metatable of a wrapped peripheral.
---@return table|nil
local function wrapped_info(value)
    local metatable = getmetatable(value)
    if type(metatable) ~= "table" or metatable.__name ~= "peripheral" or type(metatable.name) ~= "string" then
        return nil
    end
    return metatable
end

--- Lists the names of all peripherals.
---@return string[]
function api.getNames()
    local names = {}
    for _, side in ipairs(sides) do
        if native.isPresent(side) then
            names[#names + 1] = side
            if native.hasType(side, "peripheral_hub") then
                for _, name in ipairs(native.call(side, "getNamesRemote")) do names[#names + 1] = name end
            end
        end
    end
    return names
end

--- Says whether a peripheral with a name is there.
---@param name string
---@return boolean
function api.isPresent(name)
    expect(1, name, "string")
    if native.isPresent(name) then return true end
    return hub_of(name) ~= nil
end

--- Gives the types of a peripheral.
---@param peripheral string|table
---@return string ...
function api.getType(peripheral)
    expect(1, peripheral, "string", "table")
    if type(peripheral) == "table" then
        local info = wrapped_info(peripheral)
        if not info or type(info.types) ~= "table" then error("bad argument #1 (table is not a peripheral)", 2) end
        return table.unpack(info.types)
    end
    if native.isPresent(peripheral) then return native.getType(peripheral) end
    local hub = hub_of(peripheral)
    if hub then return native.call(hub, "getTypeRemote", peripheral) end
    return nil
end

--- Says whether a peripheral has a type.
---@param peripheral string|table
---@param peripheral_type string
---@return boolean|nil
function api.hasType(peripheral, peripheral_type)
    expect(1, peripheral, "string", "table")
    expect(2, peripheral_type, "string")
    if type(peripheral) == "table" then
        local info = wrapped_info(peripheral)
        if not info or type(info.types) ~= "table" then error("bad argument #1 (table is not a peripheral)", 2) end
        return info.types[peripheral_type] ~= nil
    end
    if native.isPresent(peripheral) then return native.hasType(peripheral, peripheral_type) end
    local hub = hub_of(peripheral)
    if hub then return native.call(hub, "hasTypeRemote", peripheral, peripheral_type) end
    return nil
end

--- Lists the methods of a peripheral.
---@param name string
---@return string[]|nil
function api.getMethods(name)
    expect(1, name, "string")
    if native.isPresent(name) then return native.getMethods(name) end
    local hub = hub_of(name)
    if hub then return native.call(hub, "getMethodsRemote", name) end
    return nil
end

--- Gives the name of a wrapped peripheral.
---@param peripheral table
---@return string
function api.getName(peripheral)
    expect(1, peripheral, "table")
    local info = wrapped_info(peripheral)
    if not info then error("bad argument #1 (table is not a peripheral)", 2) end
    return info.name
end

--- Calls a method of a peripheral.
---@param name string
---@param method string
function api.call(name, method, ...)
    expect(1, name, "string")
    expect(2, method, "string")
    if native.isPresent(name) then return native.call(name, method, ...) end
    local hub = hub_of(name)
    if hub then return native.call(hub, "callRemote", name, method, ...) end
    return nil
end

--- Makes a table of a peripheral's methods.
---@param name string
---@return table|nil
function api.wrap(name)
    expect(1, name, "string")
    local methods = peripheral.getMethods(name)
    if not methods then return nil end

    -- The metatable holds the types as a list and as a set.
    local types = { peripheral.getType(name) }
    for index = 1, #types do types[types[index]] = true end

    local result = setmetatable({}, {
        __name = "peripheral",
        name = name,
        type = types[1],
        types = types,
    })
    for _, method in ipairs(methods) do
        result[method] = function(...)
            return peripheral.call(name, method, ...)
        end
    end
    return result
end

--- Finds the peripherals of a type.
---@param ty string
---@param filter (fun(name: string, wrapped: table): boolean)|nil
---@return table ...
function api.find(ty, filter)
    expect(1, ty, "string")
    expect(2, filter, "function", "nil")

    local found = {}
    for _, name in ipairs(peripheral.getNames()) do
        if peripheral.hasType(name, ty) then
            local wrapped = peripheral.wrap(name)
            if filter == nil or filter(name, wrapped) then found[#found + 1] = wrapped end
        end
    end
    return table.unpack(found)
end
