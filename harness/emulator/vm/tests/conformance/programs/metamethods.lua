local log = {}
local mt = {}
for _, name in ipairs { "add", "sub", "mul", "div", "mod", "pow", "concat" } do
    mt["__" .. name] = function(a, b) return name .. ":" .. type(a) .. type(b) end
end
mt.__unm = function() return "unm" end
mt.__len = function() return 42 end
mt.__eq = function(a, b) return true end
mt.__lt = function(a, b) return "truthy" end
mt.__call = function(self, ...) return "called", ... end
mt.__tostring = function() return "object" end
local a, b = setmetatable({}, mt), setmetatable({}, mt)
print(a + 1, 1 - a, a * b, a / 2, a % 2, 2 ^ a, a .. "x", "x" .. a, 1 .. a, a .. b .. "c", "x" .. "y" .. a)
print(-a, #a, a == b, a ~= b, a < b, a <= b, a > 1, a >= 1, a(1, 2), tostring(a))
print(a == 1, rawequal(a, b), rawlen(a))
local proxy = setmetatable({}, { __index = function(t, k) return k .. "!" end,
    __newindex = function(t, k, v) rawset(t, k, v * 2) end })
print(proxy.foo, proxy[1]) proxy.x = 5 print(proxy.x, rawget(proxy, "y"))
local base = { shared = "base" }
local derived = setmetatable({}, { __index = setmetatable({}, { __index = base }) })
print(derived.shared, derived.none)
local sink = {} local source = setmetatable({}, { __newindex = sink }) source.k = 1 print(rawget(source, "k"), sink.k)
print(pcall(setmetatable, setmetatable({}, { __metatable = "locked" }), {}))
print(getmetatable(setmetatable({}, { __metatable = "locked" })), getmetatable("").__index == string)
for k, v in pairs(setmetatable({}, { __pairs = function() return function(_, k) if not k then return 1, "one" end end end })) do print(k, v) end
-- Yields in every kind of metamethod.
local function y(...) return coroutine.yield(...) end
local ym = { __add = y, __index = y, __newindex = y, __eq = y, __lt = y, __le = y, __concat = y, __len = y, __unm = y,
    __call = function(_, v) return y(v) end }
local function object() return setmetatable({}, ym) end
local co = coroutine.wrap(function()
    local o, p = object(), object()
    local r = { o + 1, o.field, o == p, o < p, o <= p, o .. "x", #o, -o, o(7), "a" .. "b" .. o }
    o.x = 1
    for k, v in y, 1, 2 do r[#r + 1] = k break end
    return r
end)
local r = co()
local n = 0
while type(r) ~= "table" or getmetatable(r) == ym do n = n + 1 r = co(n) end
for i = 1, #r do io.write(tostring(r[i]), " ") end print()
print(pcall(function() return setmetatable({}, { __index = function() error("inside") end }).x end))
