-- help: shows a page of the help.

local arguments = { ... }
local topic = arguments[1] or "intro"

if topic == "index" then
    print("Help topics available:")
    textutils.pagedTabulate(help.topics())
    return
end

local path = help.lookup(topic)
local handle = path and fs.open(path, "r")
if not handle then
    printError("No help available")
    return
end
local text = handle.readAll() or ""
handle.close()

local strings = require("cc.strings")
local width, height = term.getSize()

--- Wraps the page to lines that are all as wide as the screen.
local function page_lines()
    local lines = strings.wrap(text, width)
    for index, line in ipairs(lines) do lines[index] = strings.ensure_width(line, width) end
    return lines
end

local lines = page_lines()
if #lines < height then
    write(table.concat(lines, "\n"))
    return
end

-- A page that is longer than the screen can be scrolled.
local offset = 0
local title_colour = term.isColour() and colors.yellow or colors.lightGray

local function draw_page()
    term.setTextColour(colors.white)
    for row = 1, height - 1 do
        term.setCursorPos(1, row)
        term.write(lines[row + offset] or (" "):rep(width))
    end
    term.setTextColour(title_colour)
end

local function draw_all()
    draw_page()
    term.setCursorPos(1, height)
    term.clearLine()
    term.write("Help: " .. topic)
end

local function scroll_to(new_offset)
    offset = math.max(0, math.min(new_offset, #lines - (height - 1)))
    draw_page()
end

term.clear()
draw_all()
while true do
    local event, param = os.pullEventRaw()
    if event == "key" then
        if param == keys.up then
            scroll_to(offset - 1)
        elseif param == keys.down then
            scroll_to(offset + 1)
        elseif param == keys.pageUp then
            scroll_to(offset - (height - 2))
        elseif param == keys.pageDown then
            scroll_to(offset + (height - 2))
        elseif param == keys.home then
            scroll_to(0)
        elseif param == keys["end"] then
            scroll_to(#lines)
        elseif param == keys.q then
            require("cc.internal.event").discard_char()
            break
        end
    elseif event == "mouse_scroll" then
        scroll_to(offset + param)
    elseif event == "term_resize" then
        width, height = term.getSize()
        lines = page_lines()
        offset = math.max(0, math.min(offset, #lines - (height - 1)))
        draw_all()
    elseif event == "terminate" then
        break
    end
end
term.setCursorPos(1, 1)
term.clear()
