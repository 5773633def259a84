-- textutils.unserializeJSON: values and options.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local function show(text, options)
    local value, message = textutils.unserializeJSON(text, options)
    if value == textutils.json_null then
        value = "NULL"
    elseif value == textutils.empty_json_array then
        value = "EMPTY"
    elseif type(value) == "table" then
        value = textutils.serializeJSON(value)
    end
    print(text, tostring(value), message)
end
for _, text in ipairs({ "1", "-1.5e3", "true", "false", "null", '"text"', '"a\\nb\\u0041\\/"', '"\\u00e4"', "[]", "{}", "[1, 2, [3]]", '{ "a": { "b": [] } }', " [ 1 ] ", "[null]", '"\u{E4}"', "1E2", "-0", "[1,null,3]" }) do show(text) end
show("null", { parse_null = true })
show("[null]", { parse_null = true })
show("[]", { parse_empty_array = false })
show("[]", { parse_empty_array = true })
for _, text in ipairs({ "{a: 1}", "[I; 1, 2]", "[B; 1b]", "1b", "1.5f", "'single'", "{c: [1b, 2b]}" }) do show(text, { nbt_style = true }) end
try("nil", textutils.unserializeJSON)
try("options", textutils.unserializeJSON, "1", 5)
try("option", textutils.unserializeJSON, "1", { parse_null = 5 })
