-- paintutils: pixels, lines, boxes.

local function draw(width, height, action)
    local w = window.create(term.current(), 1, 1, width, height, false)
    local previous = term.redirect(w)
    local ok, problem = pcall(action)
    local background = term.getBackgroundColour()
    local x, y = term.getCursorPos()
    term.redirect(previous)
    for row = 1, height do print(select(3, w.getLine(row))) end
    print(background, x, y, ok, problem)
end
draw(4, 2, function() paintutils.drawPixel(2, 1, colors.red) end)
draw(4, 2, function() paintutils.drawPixel(2.9, 1.9, colors.red) end)
draw(6, 4, function() paintutils.drawLine(1, 1, 6, 3, colors.red) end)
draw(6, 4, function() paintutils.drawLine(6, 1, 1, 3, colors.red) end)
draw(6, 4, function() paintutils.drawLine(2, 4, 3, 1, colors.red) end)
draw(6, 4, function() paintutils.drawLine(3, 2, 3, 2, colors.red) end)
draw(6, 4, function() paintutils.drawBox(2, 1, 5, 4, colors.green) end)
draw(6, 4, function() paintutils.drawBox(5, 4, 2, 1, colors.green) end)
draw(6, 4, function() paintutils.drawFilledBox(2, 2, 5, 3, colors.blue) end)
draw(6, 4, function() paintutils.drawFilledBox(3, 3, 3, 3) end)
draw(6, 4, function() paintutils.drawBox(2, 2, 2, 2, colors.blue) end)
