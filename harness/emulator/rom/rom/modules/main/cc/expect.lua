-- cc.expect: checks that arguments, fields and numbers are what a function needs.

local getinfo = debug and debug.getinfo
local metatable_of = debug and debug.getmetatable or getmetatable
local type, select, error = type, select, error

--- Says whether a kind of value is in a list of kinds.
local function listed(kind, first, ...)
    return kind == first or (select("#", ...) > 0 and listed(kind, ...))
end

--- Names what a value is; values may name themselves in their metatable.
---@return string
local function describe(value)
    local meta = type(value) == "table" and metatable_of(value)
    local own = type(meta) == "table" and rawget(meta, "__name")
    return type(own) == "string" and own or type(value)
end

--- Writes a list of kinds for a message: "string, table or number". That nil is fine too
--- is only said where nothing else is.
---@return string
local function enumerate(...)
    local kinds = {}
    -- An empty list is a mistake of the caller's: `tostring` says so.
    for _, kind in ipairs({ tostring(...), select(2, ...) }) do
        if kind ~= "nil" then table.insert(kinds, tostring(kind)) end
    end
    local last = table.remove(kinds) or "nil"
    return #kinds == 0 and last or table.concat(kinds, ", ") .. " or " .. last
end

local function mismatch(value, ...)
    return (" (%s expected, got %s)"):format(enumerate(...), describe(value))
end

--- Returns the argument if it is of one of the kinds; raises at the place that gave it.
---@param index number
---@param value any
---@param ... string
---@return any value
local function expect(index, value, ...)
    if listed(type(value), ...) then return value end
    local problem = mismatch(value, ...)
    local caller = getinfo and getinfo(2, "nS")
    local name = caller and caller.what ~= "C" and caller.name
    local named = name and name ~= "" and " to '" .. name .. "'" or ""
    error(("bad argument #%d"):format(index) .. named .. problem, 3)
end

--- Returns a field of a table if it is of one of the kinds.
---@param tbl table
---@param index string
---@param ... string
---@return any value
local function field(tbl, index, ...)
    expect(1, tbl, "table")
    expect(2, index, "string")
    local value = tbl[index]
    if listed(type(value), ...) then return value end
    if value == nil then error("field '" .. index .. "' missing from table", 3) end
    error("bad field '" .. index .. "'" .. mismatch(value, ...), 3)
end

--- Returns a number if it is not outside of the limits.
---@param num number
---@param min number|nil
---@param max number|nil
---@return number num
local function range(num, min, max)
    expect(1, num, "number")
    local low = expect(2, min, "number", "nil") or -math.huge
    local high = expect(3, max, "number", "nil") or math.huge
    if low > high then error("min must be less than or equal to max)", 2) end
    -- A number that is none compares with nothing, and is outside of every range.
    local inside = num >= low and num <= high
    return inside and num
        or error(("number outside of range (expected %s to be within %s and %s)"):format(num, low, high), 3)
end

local module = { expect = expect, field = field, range = range }
return setmetatable(module, { __call = function(_, ...) return expect(...) end })
