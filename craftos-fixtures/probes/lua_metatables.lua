-- Metamethods.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local log = {}
local meta = {}
meta.__index = function(_, key) return "index " .. tostring(key) end
meta.__newindex = function(tbl, key, value) rawset(tbl, key, value * 2) end
meta.__call = function(_, a, b) return "called", a, b end
meta.__add = function() return "add" end
meta.__concat = function() return "concat" end
meta.__len = function() return 42 end
meta.__eq = function() return true end
meta.__lt = function() return true end
meta.__le = function() return false end
meta.__unm = function() return "unm" end
meta.__tostring = function() return "object" end
meta.__pairs = function() return function(_, key) if not key then return 1, "paired" end end, nil, nil end
meta.__ipairs = function() return function(_, index) if index < 1 then return index + 1, "ipaired" end end, nil, 0 end
local a, b = setmetatable({}, meta), setmetatable({}, meta)
print(a.x, a + 1, 1 + a, a .. "x", #a, a == b, a < b, a <= b, -a, tostring(a))
print(a(1, 2))
a.y = 21
print(rawget(a, "y"), rawlen(a), rawequal(a, b), rawget(a, "z"))
for key, value in pairs(a) do print(key, value) end
for key, value in ipairs(a) do print(key, value) end
print(getmetatable(setmetatable({}, { __metatable = "locked" })))
try("locked", function() setmetatable(setmetatable({}, { __metatable = 1 }), {}) end)
try("not a table", setmetatable, 1, {})
try("metatable", setmetatable, {}, 1)
print(getmetatable("x").__index == string, getmetatable(1))
