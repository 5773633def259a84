-- print and write on windows of different sizes.

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

show_screen(5, 2, function() _G.print("one") _G.print("two") _G.print("three") end)
show_screen(20, 3, function() _G.print("a", 1, nil, true) end)
show_screen(20, 3, function() _G.print("tab\there") end)
show_screen(1, 3, function() _G.print("abc") end)
show_screen(10, 2, function() term.setCursorPos(1, 2) _G.print("last row") end)
