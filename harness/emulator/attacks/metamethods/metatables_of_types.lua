-- Every type with metamethods that fail, yield, call themselves and answer nonsense.
-- prints: alive
local keep = { print = print, pcall = pcall, error = error, yield = coroutine.yield, set = debug.setmetatable, create = coroutine.create, resume = coroutine.resume, ipairs = ipairs, string = debug.getmetatable("") }
local values = { nil, true, 5, function(...) return ... end, coroutine.create(print), "text" }
local answers = {
    function() return nil end, function(...) return ... end, function() keep.error("x", 0) end, function() keep.yield() end,
    function(a, b) return a + b end, function(a, b) return a .. b end, function(a) return #a end, function(a) return a() end, function(a, b) return a[b] end, function(a, b) return a < b end, 5, {}, true,
}
local events = { "__index", "__newindex", "__call", "__eq", "__lt", "__le", "__concat", "__len", "__add", "__unm", "__tostring", "__name", "__metatable", "__pairs", "__ipairs", "__mode", "__gc", "__mod", "__pow" }
for number = 1, 6 do
    local value = values[number]
    for a = 1, #answers do
        local meta = {}
        for e = 1, #events do meta[events[e]] = answers[a] end
        local co = keep.create(function()
            local operations = {
                function() return value.x end, function() value.x = 1 end, function() return value() end, function() return value == 1 end,
                function() return value < value end, function() return value <= {} end, function() return value .. value end, function() return #value end,
                function() return value + value end, function() return -value end, function() return tostring(value) end, function() for k in pairs(value) do end end,
                function() for k in ipairs(value) do end end, function() return ("%s"):format(value) end, function() return value ^ 2 % value end,
                function() return table.concat({ value }) end, function() table.sort({ value, value }) end, function() return select(value) end,
                function() for i = value, value do end end, function() return error(value) end, function() return load(value) end, function() return math.max(value, value) end,
            }
            for i = 1, #operations do keep.pcall(operations[i]) end
        end)
        debug.sethook(co, function() keep.error("enough", 0) end, "", 2000)
        keep.set(value, meta)
        for _ = 1, 60 do keep.resume(co) end
        keep.set(value, number == 6 and keep.string or nil)
    end
end
print("alive")
