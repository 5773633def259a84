local Point = {} Point.__index = Point
function Point.new(x, y) return setmetatable({ x = x, y = y }, Point) end
function Point:add(o) return Point.new(self.x + o.x, self.y + o.y) end
function Point:length2() return self.x * self.x + self.y * self.y end
local p = Point.new(0, 0)
local d = Point.new(1, 2)
local sum = 0
for i = 1, 2000000 do p = p:add(d) sum = sum + p:length2() % 7 end
assert(p.x == 2000000)
