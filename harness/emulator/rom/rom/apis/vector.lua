-- vector: points and directions with three coordinates.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local methods = {}
local Vector = { __index = methods, __name = "vector" }

local function make(x, y, z)
    return setmetatable({ x = x, y = y, z = z }, Vector)
end

-- `expect` knows no vectors: it is only asked where a value is none, for its message.
-- It names the function that calls it, so that every method asks by itself.

--- Makes a method of one vector.
local function of_one(compute)
    return function(self)
        if getmetatable(self) ~= Vector then expect(1, self, "vector") end
        return compute(self.x, self.y, self.z)
    end
end

--- Makes a method of two vectors. It computes with both sets of coordinates.
local function of_two(compute)
    return function(self, o)
        if getmetatable(self) ~= Vector then expect(1, self, "vector") end
        if getmetatable(o) ~= Vector then expect(2, o, "vector") end
        return compute(self.x, self.y, self.z, o.x, o.y, o.z)
    end
end

--- Makes a method that does the same with each coordinate of a vector and a number.
local function scaled(default, compute)
    return function(self, factor)
        if getmetatable(self) ~= Vector then expect(1, self, "vector") end
        if factor == nil and default then factor = default end
        expect(2, factor, "number")
        return make(compute(self.x, factor), compute(self.y, factor), compute(self.z, factor))
    end
end

methods.add = of_two(function(x, y, z, x2, y2, z2) return make(x + x2, y + y2, z + z2) end)
methods.sub = of_two(function(x, y, z, x2, y2, z2) return make(x - x2, y - y2, z - z2) end)
methods.dot = of_two(function(x, y, z, x2, y2, z2) return x * x2 + y * y2 + z * z2 end)
methods.cross = of_two(function(x, y, z, x2, y2, z2)
    return make(y * z2 - z * y2, z * x2 - x * z2, x * y2 - y * x2)
end)
methods.equals = of_two(function(x, y, z, x2, y2, z2) return x == x2 and y == y2 and z == z2 end)

methods.unm = of_one(function(x, y, z) return make(-x, -y, -z) end)
methods.length = of_one(function(x, y, z) return math.sqrt(x * x + y * y + z * z) end)
methods.tostring = of_one(function(x, y, z) return table.concat({ x, y, z }, ",") end)

methods.mul = scaled(nil, function(coordinate, factor) return coordinate * factor end)
methods.div = scaled(nil, function(coordinate, divisor) return coordinate / divisor end)
methods.round = scaled(1, function(coordinate, step)
    return math.floor((coordinate + step * 0.5) / step) * step
end)

function methods.normalize(self)
    -- Through the methods, so that whatever has them can be normalised.
    local length = self:length()
    return self:mul(1 / length)
end

for operator, name in pairs({
    __add = "add",
    __div = "div",
    __eq = "equals",
    __mul = "mul",
    __sub = "sub",
    __tostring = "tostring",
    __unm = "unm",
}) do
    Vector[operator] = methods[name]
end

local api = _ENV

--- Makes a vector; a coordinate that is no number is 0.
---@return table vector
function api.new(x, y, z)
    return make(tonumber(x) or 0, tonumber(y) or 0, tonumber(z) or 0)
end
