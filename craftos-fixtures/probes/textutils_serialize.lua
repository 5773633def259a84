-- textutils.serialize: one key at a time, nesting, options.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, value in ipairs({ 1, -1.5, 1e100, "text", "a\nb", true, {}, { 1, 2 }, { a = 1 }, { ["a b"] = 1 }, { [1.5] = 2 }, { { {} } }, { [true] = false }, { 1, nil, 3 }, { [-1] = 1 }, { ["end"] = 1 } }) do
    print(textutils.serialize(value))
    print(textutils.serialize(value, { compact = true }))
end
print(textutils.serialize(nil), textutils.serialize(math.huge), textutils.serialize(-math.huge))
local shared = {}
try("repeated", textutils.serialize, { shared, shared })
print(textutils.serialize({ shared, shared }, { allow_repetitions = true, compact = true }))
local loop = {}
loop.loop = loop
try("recursive", textutils.serialize, loop)
try("function", textutils.serialize, print)
try("nested function", textutils.serialize, { { print } })
try("thread", textutils.serialize, coroutine.create(print))
try("options", textutils.serialize, {}, 5)
try("compact", textutils.serialize, {}, { compact = "x" })
print(textutils.serialize(setmetatable({ 1 }, { __tostring = function() return "x" end }), { compact = true }))
