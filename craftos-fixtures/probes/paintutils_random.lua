-- Random lines, boxes and pixels.

local state = 99
local function random(limit)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % limit
end

local function coordinate()
    local whole = random(18) - 3
    return random(4) == 0 and whole + random(10) / 10 or whole
end

local screen = window.create(term.current(), 1, 1, 12, 8, false)
local function show(name, ...)
    screen.setBackgroundColor(colors.black)
    screen.clear()
    screen.setCursorPos(1, 1)
    local previous = term.redirect(screen)
    local ok, problem = pcall(paintutils[name], ...)
    term.redirect(previous)
    local rows = {}
    for y = 1, 8 do rows[y] = select(3, screen.getLine(y)) end
    print(name, ok, problem, table.concat(rows, "|"), screen.getBackgroundColor(), screen.getCursorPos())
end

local inks = { colors.red, colors.blue }
for _ = 1, 250 do show("drawLine", coordinate(), coordinate(), coordinate(), coordinate(), inks[1 + random(3)]) end
for _ = 1, 100 do
    show("drawBox", coordinate(), coordinate(), coordinate(), coordinate(), colors.red)
    show("drawFilledBox", coordinate(), coordinate(), coordinate(), coordinate(), colors.green)
    show("drawPixel", coordinate(), coordinate(), colors.lime)
end
