-- textutils.slowPrint and slowWrite: what is written in the end.

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

show_screen(12, 4, function() textutils.slowWrite("slow text that wraps", 1000) end)
show_screen(12, 4, function() textutils.slowPrint("slow", 1000) end)
show_screen(12, 4, function() term.setCursorPos(8, 1) textutils.slowWrite("moved over", 1000) end)
show_screen(12, 4, function() textutils.slowPrint(5, 1000) end)
try("rate", textutils.slowWrite, "x", "y")
try("negative", textutils.slowWrite, "x", -1)
