-- textutils.serializeJSON: values, strings, options.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, value in ipairs({ 1, 1.5, -0.25, 1e15, 1e16, 123456789012345, true, false, "text", "", "q\"uote", "back\\", "/", "\n\t\r\b\f", "\0\1\31", "\127", "\228", "\u{E4}", {}, { 1 }, { "a", { "b" } }, { a = 1 }, { [1] = 1, [3] = 3 }, { a = {} } }) do
    print(textutils.serializeJSON(value))
end
print(textutils.serializeJSON(textutils.json_null), textutils.serializeJSON(textutils.empty_json_array), textutils.serializeJSON({ textutils.json_null }))
print(textutils.serializeJSON("\u{E4}\u{20AC}\u{1F600}", { unicode_strings = true }))
print(textutils.serializeJSON({ key = "value" }, true), textutils.serializeJSON({ key = { 1 } }, { nbt_style = true }))
print(textutils.serializeJSON({ [1] = "a", b = "c" }))
print(textutils.serialiseJSON == textutils.serializeJSON)
try("function", textutils.serializeJSON, { print })
try("nil", textutils.serializeJSON)
try("options", textutils.serializeJSON, 1, 5)
local loop = {}
loop[1] = loop
try("recursive", textutils.serializeJSON, loop)
local shared = {}
try("repeated", textutils.serializeJSON, { shared, shared })
print(textutils.serializeJSON({ shared, shared }, { allow_repetitions = true }))
try("bad utf8", function()
    local ok, message = pcall(textutils.serializeJSON, "\255", { unicode_strings = true })
    return ok, (message:gsub("^[^ ]+: ", ""))
end)
