-- window: what reaches the parent, visible and not.

--- Prints the rows of a window: text, text colours, backgrounds.
local function show_window(window, rows)
    for y = 1, rows do
        local text, foreground, background = window.getLine(y)
        print(("[%s] %s %s"):format(text, foreground, background))
    end
end

local parent = window.create(term.current(), 1, 1, 10, 3, false)
local child = window.create(parent, 2, 2, 5, 1, true)
child.write("hey")
show_window(parent, 3)
print(parent.getCursorPos())
child.setVisible(false)
child.setCursorPos(1, 1)
child.write("later")
show_window(parent, 3)
child.setVisible(true)
show_window(parent, 3)
child.setCursorBlink(true)
print(parent.getCursorBlink(), child.getCursorBlink(), child.isVisible())
child.setTextColour(colors.red)
print(parent.getTextColour())
child.restoreCursor()
print(parent.getCursorPos())
child.setCursorPos(20, 20)
print(parent.getCursorPos())
child.setPaletteColour(colors.red, 0.5, 0.5, 0.5)
print(parent.getPaletteColour(colors.red))
local hidden = window.create(parent, 1, 1, 3, 1, false)
hidden.setPaletteColour(colors.red, 0.25, 0.25, 0.25)
print(parent.getPaletteColour(colors.red))
print(hidden.getPaletteColour(colors.red))
