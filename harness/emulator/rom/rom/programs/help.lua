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
text = text:gsub("\r", ""):gsub("\n+$", "")

local strings = require("cc.strings")
local width, height = term.getSize()
local lines = {}

local function wrap()
    lines = strings.wrap(text, width)
end
wrap()

if #lines < height then
    print(text)
    return
end

-- A page that is longer than the screen can be scrolled.
local offset = 0

local function draw()
    for row = 1, height - 1 do
        term.setCursorPos(1, row)
        term.clearLine()
        term.write(lines[row + offset] or "")
    end
    term.setCursorPos(1, height)
    term.clearLine()
    if term.isColour() then term.setTextColour(colors.yellow) end
    local page = math.floor(offset * 100 / math.max(#lines - height + 1, 1))
    local title = "Help: " .. topic
    local position = ("(%d%%)"):format(page)
    term.write(title)
    term.setTextColour(colors.white)
    if width - #position > #title then
        term.setCursorPos(width - #position + 1, height)
        term.write(position)
    end
end

local function scroll_to(new_offset)
    offset = math.max(0, math.min(new_offset, #lines - height + 1))
    draw()
end

term.clear()
draw()
while true do
    local event, param = os.pullEventRaw()
    if event == "key" then
        if param == keys.up then
            scroll_to(offset - 1)
        elseif param == keys.down then
            scroll_to(offset + 1)
        elseif param == keys.pageUp then
            scroll_to(offset - height + 1)
        elseif param == keys.pageDown or param == keys.space then
            scroll_to(offset + height - 1)
        elseif param == keys.home then
            scroll_to(0)
        elseif param == keys["end"] then
            scroll_to(#lines)
        elseif param == keys.q or param == keys.enter then
            require("cc.internal.event").discard_char()
            break
        end
    elseif event == "mouse_scroll" then
        scroll_to(offset + param)
    elseif event == "term_resize" then
        width, height = term.getSize()
        wrap()
        scroll_to(offset)
    elseif event == "terminate" then
        break
    end
end
term.setCursorPos(1, height)
term.clearLine()
