-- window: writing, clipping, colours.

--- Prints the rows of a window: text, text colours, backgrounds.
local function show_window(window, rows)
    for y = 1, rows do
        local text, foreground, background = window.getLine(y)
        print(("[%s] %s %s"):format(text, foreground, background))
    end
end

local w = window.create(term.current(), 1, 1, 8, 3, false)
w.write("hello")
w.setCursorPos(6, 2)
w.write("overflow")
w.setCursorPos(-2, 3)
w.write("under")
show_window(w, 3)
print(w.getCursorPos())
w.setTextColour(colors.red)
w.setBackgroundColour(colors.blue)
w.setCursorPos(1, 1)
w.write(123)
w.setCursorPos(1, 5)
w.write("outside")
w.setCursorPos(3, 2)
w.blit("abc", "123", "def")
w.setCursorPos(7, 3)
w.blit("xyz", "ABC", "FED")
show_window(w, 3)
w.clearLine()
show_window(w, 3)
w.clear()
show_window(w, 3)
print(w.getCursorPos())
w.write(nil)
w.write(true)
show_window(w, 3)
