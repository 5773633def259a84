-- write and print: words wrap, long words break, screens scroll.

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

show_screen(10, 4, function() write("hello world foo") end)
show_screen(10, 4, function() write("abcdefghijklmno") end)
show_screen(10, 4, function() write("ab abcdefghijklmno") end)
show_screen(10, 3, function() for i = 1, 5 do write("line " .. i .. "\n") end end)
show_screen(10, 4, function() write("a   b          c") end)
show_screen(10, 4, function() write("\n\nx") end)
show_screen(10, 4, function() write("exactly10!") write("x") end)
show_screen(10, 4, function() write("trailing ") write("word") end)
show_screen(10, 3, function() term.setCursorPos(8, 1) write("hello") end)
show_screen(10, 3, function() term.setCursorPos(15, 1) write("hello") end)
show_screen(10, 3, function() term.setCursorPos(1, 9) write("below\nnext") end)
show_screen(3, 3, function() write("a bc def ghij") end)
