-- textutils.pagedPrint: waits for a key at the end of a page.

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

for _ = 1, 10 do os.queueEvent("key", keys.space) end
show_screen(12, 3, function() textutils.pagedPrint("one\ntwo") end)
show_screen(12, 3, function() textutils.pagedPrint("one\ntwo\nthree\nfour\nfive") end)
show_screen(12, 3, function() textutils.pagedPrint("one\ntwo\nthree\nfour\nfive", 2) end)
local screen = window.create(term.current(), 1, 1, 30, 3, false)
local previous = term.redirect(screen)
local lines = textutils.pagedPrint("a\nb\nc\nd", 5)
term.redirect(previous)
print(lines)
try("free", textutils.pagedPrint, "x", "y")
