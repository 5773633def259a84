-- textutils.tabulate: columns, colours, wide cells.

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

show_screen(20, 4, function() textutils.tabulate({ "a", "bb", "ccc" }, { "dddd", "e" }) end)
show_screen(20, 4, function() textutils.tabulate({ "one", "two", "three", "four", "five" }) end)
show_screen(20, 4, function() textutils.tabulate(colors.red, { "x" }, colors.blue, { "y" }) end)
show_screen(8, 5, function() textutils.tabulate({ "longer than it", "b" }) end)
show_screen(20, 4, function() textutils.tabulate({}, { "after empty" }) end)
show_screen(20, 4, function() textutils.tabulate() end)
show_screen(20, 4, function() textutils.tabulate({ 1, 2.5 }) end)
show_screen(20, 5, function() textutils.pagedTabulate({ "p", "q" }, { "r" }) end)
show_screen(51, 5, function() textutils.pagedTabulate(colors.green, { "apis", "autorun", "help", "modules", "programs" }, colors.white, { "motd.txt", "startup.lua" }) end)
try("nil", textutils.tabulate, nil)
try("cell", textutils.tabulate, { true })
try("text", textutils.tabulate, "x")
