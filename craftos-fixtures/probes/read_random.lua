-- read under random keys, clicks and completions: the screen after each event.

local state = 2024
local function random(limit)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % limit
end

local pressed = {
    keys.left, keys.right, keys.up, keys.down, keys.home, keys["end"], keys.backspace, keys.delete, keys.tab,
}
local rare = {
    function() return { "paste", "pasted" } end,
    function(width) return { "mouse_drag", 1 + random(2), 1 + random(width), 1 + random(3) } end,
    function() return { "term_resize" } end,
    function() return { "unknown" } end,
}

local function random_event(width)
    local kind = random(10)
    if kind < 4 then return { "char", string.char(97 + random(26)) } end
    if kind < 8 then return { "key", pressed[1 + random(#pressed)], false } end
    if kind == 8 then return { "mouse_click", 1 + random(2), 1 + random(width), 1 + random(3) } end
    return rare[1 + random(#rare)](width)
end

local histories = { { "one", "second line", "third is longer" }, {}, false }
local function endings_of(text)
    if #text % 3 == 0 then return nil end
    return { "x" .. #text, "yy", "zzz" }
end

for round = 1, 60 do
    local width = 6 + random(14)
    local screen = window.create(term.current(), 1, 1, width, 3, false)
    screen.setCursorPos(1 + random(5), 1 + random(3))
    screen.write("> ")

    local reader = coroutine.create(read)
    local function resume(label, ...)
        if coroutine.status(reader) == "dead" then return end
        local previous = term.redirect(screen)
        local ok, result = coroutine.resume(reader, ...)
        term.redirect(previous)
        local rows = {}
        for y = 1, 3 do rows[y] = table.concat({ screen.getLine(y) }, " ") end
        local x, y = screen.getCursorPos()
        print(round, label, ok, table.concat(rows, "|"), x, y, screen.getCursorBlink())
        if coroutine.status(reader) == "dead" then print("read", result) end
    end

    local mask = random(4) == 0 and "*" or nil
    local complete = random(2) == 0 and endings_of or nil
    local default = random(3) == 0 and "default" or nil
    resume("start", mask, histories[1 + random(3)] or nil, complete, default)
    for _ = 1, 25 do
        local event = random_event(width)
        resume(event[1] .. " " .. tostring(event[2]), table.unpack(event))
    end
    resume("enter", "key", keys.enter, false)
end
