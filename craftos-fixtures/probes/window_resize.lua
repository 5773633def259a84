-- window: reposition and its effect on the content.

--- Prints the rows of a window: text, text colours, backgrounds.
local function show_window(window, rows)
    for y = 1, rows do
        local text, foreground, background = window.getLine(y)
        print(("[%s] %s %s"):format(text, foreground, background))
    end
end

local w = window.create(term.current(), 2, 3, 4, 2, false)
w.write("abcd")
w.setCursorPos(1, 2)
w.write("efgh")
print(w.getPosition())
print(w.getSize())
w.setTextColour(colors.red)
w.reposition(1, 1, 6, 3)
show_window(w, 3)
w.reposition(5, 6, 2, 1)
show_window(w, 1)
print(w.getPosition())
print(w.getSize())
print(w.getCursorPos())
w.reposition(7, 8)
print(w.getPosition())
print(w.getSize())
