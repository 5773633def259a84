-- cc.expect: messages, fields, ranges.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local module = require("cc.expect")
local expect, field, range = module.expect, module.field, module.range
print(expect(1, "x", "string"), expect(1, nil, "string", "nil"), module(1, 5, "number"))
try("one", expect, 1, 5, "string")
try("two", expect, 2, 5, "string", "table")
try("three", expect, 3, true, "string", "table", "nil", "number")
try("nil only", expect, 1, 5, "nil")
local function checked(value) expect(1, value, "number") end
try("named", function() checked("x") end)
try("called module", function() module(1, 5, "string") end)
print(field({ a = 1 }, "a", "number"), field({}, "a", "number", "nil"))
try("field type", field, { a = 1 }, "a", "string")
try("field missing", field, {}, "a", "string")
try("field table", field, 5, "a", "string")
print(range(5), range(5, 1, 10), range(5, 5), range(5, nil, 5))
try("low", range, 0, 1, 10)
try("high", range, 11, 1, 10)
try("nan", range, 0 / 0, 1, 10) -- the sign of nan is the machine's
try("text", range, "x")
try("min", range, 5, "x")
