-- cc.pretty: values as text at different widths.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

--- Draws with a function on a hidden window and prints the text that is there then.
local function show_screen(width, height, draw)
    local screen = window.create(term.current(), 1, 1, width, height, false)
    local previous = term.redirect(screen)
    local ok, problem = pcall(draw)
    local x, y = term.getCursorPos()
    term.redirect(previous)
    for row = 1, height do print("[" .. screen.getLine(row) .. "]") end
    print("cursor " .. x .. "," .. y)
    if not ok then print("failed: " .. tostring(problem)) end
end

local pretty = require("cc.pretty")
local values = {
    1, "text", true, { 1, 2, 3 }, { a = 1, b = { c = 2 } }, { 1, nil, 3 }, {}, { {} }, { ["not a name"] = 1, [1.5] = 2, ok = 3 },
    "line\nbreak", { "long string number one", "long string number two", "long string number three" },
    { nested = { deeply = { inside = { here = { 1, 2, 3 } } } } },
}
for _, value in ipairs(values) do
    for _, width in ipairs({ 60, 20 }) do print(pretty.render(pretty.pretty(value), width)) end
end
print(pretty.render(pretty.concat("a", pretty.line, "b"), 20))
print(pretty.render(pretty.group(pretty.concat("a", pretty.space_line, "b")), 20))
print(pretty.render(pretty.nest(4, pretty.concat("a", pretty.line, "b", pretty.line, "c")), 20))
print(pretty.render(pretty.text("a\n\nb"), 20))
print(tostring(pretty.text("x") .. "y" .. pretty.space .. "z"))
print(pretty.render(pretty.pretty(setmetatable({}, { __tostring = function() return "shown" end }))))
try("text", pretty.text, 5)
try("colour", pretty.text, "x", "red")
try("concat", pretty.concat, 5)
try("nest", pretty.nest, 0, pretty.empty)
try("group", pretty.group, "x")
try("render", pretty.render, "x")
try("options", pretty.pretty, 1, 5)
show_screen(20, 5, function() pretty.pretty_print({ 1, 2, { three = 3 } }) end)
show_screen(12, 5, function() pretty.print(pretty.text("a text that is wrapped")) end)
