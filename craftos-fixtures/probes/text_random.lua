-- Random text through what breaks lines: write, cc.strings.wrap, textutils.slowWrite.

local strings = require("cc.strings")

local state = 31337
local function random(limit)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % limit
end

local function random_text()
    local characters = {}
    for index = 1, random(24) do
        local kind = random(20)
        characters[index] = kind < 12 and string.char(97 + random(4)) or kind < 18 and " " or kind == 18 and "\t" or "\n"
    end
    return table.concat(characters)
end

local function show(label, text, screen, result)
    local _, height = screen.getSize()
    local rows = {}
    for y = 1, height do rows[y] = screen.getLine(y) end
    local x, y = screen.getCursorPos()
    print(label, ("%q"):format(text), result, table.concat(rows, "|"), x, y)
end

local function on_screen(draw)
    local screen = window.create(term.current(), 1, 1, 1 + random(9), 1 + random(4), false)
    screen.setCursorPos(random(12) - 1, random(6))
    local previous = term.redirect(screen)
    local result = draw()
    term.redirect(previous)
    return screen, result
end

for _ = 1, 400 do
    local text = random_text()
    local screen, lines = on_screen(function() return write(text) end)
    show("write", text, screen, lines)
end

for _ = 1, 400 do
    local text, width = random_text(), 1 + random(9)
    local lines = strings.wrap(text, width)
    for index, line in ipairs(lines) do lines[index] = ("%q"):format(line) end
    print("wrap", ("%q"):format(text), width, table.concat(lines, " "))
end

-- Without the waiting.
local real_sleep = sleep
_G.sleep = function() end
for _ = 1, 100 do
    local text = random_text()
    local screen = on_screen(function() textutils.slowWrite(text, 1000) end)
    show("slowWrite", text, screen)
end
_G.sleep = real_sleep
