-- vector: vectors of three dimensions, with operators.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local vector_api = _ENV

local metatable

--- Says whether a value is no vector. The check stands in each method, so that
--- `expect` raises its error at the method's caller.
local function is_other(value)
    return getmetatable(value) ~= metatable
end

---@class Vector
---@field x number
---@field y number
---@field z number
local methods = {}

function methods.add(self, other)
    if is_other(self) then expect(1, self, "vector") end
    if is_other(other) then expect(2, other, "vector") end
    return vector_api.new(self.x + other.x, self.y + other.y, self.z + other.z)
end

function methods.sub(self, other)
    if is_other(self) then expect(1, self, "vector") end
    if is_other(other) then expect(2, other, "vector") end
    return vector_api.new(self.x - other.x, self.y - other.y, self.z - other.z)
end

function methods.mul(self, factor)
    if is_other(self) then expect(1, self, "vector") end
    expect(2, factor, "number")
    return vector_api.new(self.x * factor, self.y * factor, self.z * factor)
end

function methods.div(self, divisor)
    if is_other(self) then expect(1, self, "vector") end
    expect(2, divisor, "number")
    return vector_api.new(self.x / divisor, self.y / divisor, self.z / divisor)
end

function methods.unm(self)
    if is_other(self) then expect(1, self, "vector") end
    return vector_api.new(-self.x, -self.y, -self.z)
end

function methods.dot(self, other)
    if is_other(self) then expect(1, self, "vector") end
    if is_other(other) then expect(2, other, "vector") end
    return self.x * other.x + self.y * other.y + self.z * other.z
end

function methods.cross(self, other)
    if is_other(self) then expect(1, self, "vector") end
    if is_other(other) then expect(2, other, "vector") end
    return vector_api.new(
        self.y * other.z - self.z * other.y,
        self.z * other.x - self.x * other.z,
        self.x * other.y - self.y * other.x
    )
end

function methods.length(self)
    if is_other(self) then expect(1, self, "vector") end
    return math.sqrt(self.x * self.x + self.y * self.y + self.z * self.z)
end

function methods.normalize(self)
    return self:mul(1 / self:length())
end

function methods.round(self, tolerance)
    if is_other(self) then expect(1, self, "vector") end
    expect(2, tolerance, "number", "nil")
    tolerance = tolerance or 1
    return vector_api.new(
        math.floor((self.x + tolerance * 0.5) / tolerance) * tolerance,
        math.floor((self.y + tolerance * 0.5) / tolerance) * tolerance,
        math.floor((self.z + tolerance * 0.5) / tolerance) * tolerance
    )
end

function methods.tostring(self)
    if is_other(self) then expect(1, self, "vector") end
    return self.x .. "," .. self.y .. "," .. self.z
end

function methods.equals(self, other)
    if is_other(self) then expect(1, self, "vector") end
    if is_other(other) then expect(2, other, "vector") end
    return self.x == other.x and self.y == other.y and self.z == other.z
end

metatable = {
    __name = "vector",
    __index = methods,
    __add = methods.add,
    __sub = methods.sub,
    __mul = methods.mul,
    __div = methods.div,
    __unm = methods.unm,
    __tostring = methods.tostring,
    __eq = methods.equals,
}

--- Makes a vector; what is no number becomes 0.
---@return Vector
function vector_api.new(x, y, z)
    return setmetatable({
        x = tonumber(x) or 0,
        y = tonumber(y) or 0,
        z = tonumber(z) or 0,
    }, metatable)
end
