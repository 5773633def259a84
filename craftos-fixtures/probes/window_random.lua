-- Windows under random calls: what stands on them and on their parent in the end.

-- The same numbers on every run and every emulator.
local state = 4242
local function random(limit)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % limit
end

local function random_text(length, alphabet)
    local characters = {}
    for index = 1, length do
        local at = 1 + random(#alphabet)
        characters[index] = alphabet:sub(at, at)
    end
    return table.concat(characters)
end

local LETTERS, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789abcdef"

local calls = {
    function(w) w.write(random_text(random(10), LETTERS)) end,
    function(w)
        local length = random(10)
        w.blit(random_text(length, LETTERS), random_text(length, DIGITS), random_text(length, DIGITS))
    end,
    function(w) w.setCursorPos(random(18) - 4, random(10) - 2) end,
    function(w) w.scroll(random(7) - 3) end,
    function(w) w.clear() end,
    function(w) w.clearLine() end,
    function(w) w.setTextColor(2 ^ random(16)) end,
    function(w) w.setBackgroundColor(2 ^ random(16)) end,
    function(w) w.setVisible(random(2) == 0) end,
    function(w) w.redraw() end,
    function(w) w.restoreCursor() end,
    function(w) w.setCursorBlink(random(2) == 0) end,
    function(w) w.reposition(random(10), random(6)) end,
    function(w) w.reposition(random(10), random(6), random(12), random(7)) end,
}
-- The last two are not for the parent.
local FOR_PARENT = #calls - 2

local function show(w)
    local _, height = w.getSize()
    for y = 1, height do print(w.getLine(y)) end
    print(w.getCursorPos())
    print(w.getPosition())
    print(w.getTextColor(), w.getBackgroundColor(), w.getCursorBlink(), w.isVisible())
end

for _ = 1, 40 do
    local parent = window.create(term.current(), 1, 1, 14, 7, false)
    local windows = {}
    for index = 1, 3 do
        windows[index] = window.create(parent, random(10) - 1, random(6) - 1, 1 + random(12), 1 + random(6), random(3) > 0)
    end
    for _ = 1, 60 do
        if random(12) == 0 then
            calls[1 + random(FOR_PARENT)](parent)
        else
            calls[1 + random(#calls)](windows[1 + random(3)])
        end
    end
    show(parent)
    for index = 1, 3 do show(windows[index]) end
end
