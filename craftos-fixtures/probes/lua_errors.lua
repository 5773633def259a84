-- The messages of Lua about wrong operations, with the names of variables.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local t, n = {}, nil
try("call nil", function() t.missing() end)
try("call method", function() t:method() end)
try("call local", function() n() end)
try("call global", function() undefined_function() end)
try("index nil local", function() return n.x end)
try("index nil field", function() return t.a.b end)
try("index global", function() return undefined_table.x end)
try("arithmetic local", function() return n + 1 end)
try("arithmetic field", function() return t.x * 2 end)
try("concat", function() return "a" .. {} end)
try("length", function() return #n end)
try("compare", function() return t < 1 end)
try("compare kinds", function() return t < {} end)
try("nil key", function() t[nil] = 1 end)
try("nan key", function() t[0 / 0] = 1 end)
try("for initial", function() for i = "a", 2 do end end)
try("for limit", function() for i = 1, "b" do end end)
try("for step", function() for i = 1, 2, {} do end end)
try("upvalue", function() n.x = 1 end)
