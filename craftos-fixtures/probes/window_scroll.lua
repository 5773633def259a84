-- window: scrolling up and down.

--- Prints the rows of a window: text, text colours, backgrounds.
local function show_window(window, rows)
    for y = 1, rows do
        local text, foreground, background = window.getLine(y)
        print(("[%s] %s %s"):format(text, foreground, background))
    end
end

local w = window.create(term.current(), 1, 1, 4, 4, false)
for y = 1, 4 do
    w.setCursorPos(1, y)
    w.write("row" .. y)
end
w.setBackgroundColour(colors.green)
w.scroll(1)
show_window(w, 4)
w.scroll(-2)
show_window(w, 4)
w.scroll(0)
w.scroll(10)
show_window(w, 4)
print(w.getCursorPos())
