-- cc.expect: checks arguments and the fields of tables, and raises errors at the
-- level of the function that was called wrongly.

--- Names the type of a value; a metatable's __name comes first.
---@param value any
---@return string
local function type_name(value)
    local metatable = debug and debug.getmetatable(value) or getmetatable(value)
    if type(value) == "table" and type(metatable) == "table" and type(metatable.__name) == "string" then
        return metatable.__name
    end
    return type(value)
end

--- Joins the accepted types to a phrase. "nil" says that something is optional and is left out.
---@return string
local function accepted(...)
    local types = {}
    for index = 1, select("#", ...) do
        local name = select(index, ...)
        if name ~= "nil" then types[#types + 1] = name end
    end
    if #types == 0 then return "nil" end
    if #types == 1 then return types[1] end
    return table.concat(types, ", ", 1, #types - 1) .. " or " .. types[#types]
end

--- Says whether a value has one of some types.
---@return boolean
local function has_type(value, ...)
    local actual = type(value)
    for index = 1, select("#", ...) do
        if actual == select(index, ...) then return true end
    end
    return false
end

--- Requires an argument to have one of some types.
---@param index number which argument it is
---@param value any
---@param ... string the accepted types
---@return any value
local function expect(index, value, ...)
    if has_type(value, ...) then return value end

    local where = ""
    local caller = debug and debug.getinfo and debug.getinfo(2, "nS")
    if caller and caller.what ~= "C" and caller.name and caller.name ~= "" and caller.name ~= "?" then
        where = " to '" .. caller.name .. "'"
    end
    error(("bad argument #%d%s (%s expected, got %s)"):format(index, where, accepted(...), type_name(value)), 3)
end

--- Requires a field of a table to have one of some types.
---@param tbl table
---@param key any
---@param ... string the accepted types
---@return any value
local function field(tbl, key, ...)
    expect(1, tbl, "table")
    expect(2, key, "string")

    local value = tbl[key]
    if has_type(value, ...) then return value end
    if value == nil then
        error(("field '%s' missing from table"):format(key), 3)
    end
    error(("bad field '%s' (%s expected, got %s)"):format(key, accepted(...), type_name(value)), 3)
end

--- Requires a number to lie between two others, both included.
---@param number number
---@param min number|nil
---@param max number|nil
---@return number
local function range(number, min, max)
    expect(1, number, "number")
    min = expect(2, min, "number", "nil") or -math.huge
    max = expect(3, max, "number", "nil") or math.huge
    if min > max then
        error("min must be less than or equal to max)", 2)
    end

    if number ~= number or number < min or number > max then
        error(("number outside of range (expected %s to be within %s and %s)"):format(number, min, max), 3)
    end
    return number
end

-- The module itself can be called like `expect`. The tail call keeps the levels of errors.
return setmetatable({
    expect = expect,
    field = field,
    range = range,
}, {
    __call = function(_, ...) return expect(...) end,
})
