-- printError: red text, then the old colour.

--- Prints the rows of a window: text, text colours, backgrounds.
local function show_window(window, rows)
    for y = 1, rows do
        local text, foreground, background = window.getLine(y)
        print(("[%s] %s %s"):format(text, foreground, background))
    end
end

local screen = window.create(term.current(), 1, 1, 12, 3, false)
local previous = term.redirect(screen)
term.setTextColour(colors.lime)
printError("wrong", 5)
local colour = term.getTextColour()
write("next")
term.redirect(previous)
show_window(screen, 2)
print(colour == colors.lime)
