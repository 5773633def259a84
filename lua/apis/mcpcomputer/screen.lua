-- A terminal that remembers what was drawn on it, so that a screen can be shown elsewhere. Everything passes through to
-- the terminal below it, which looks as it always did. Windows remember by themselves; the computer's own terminal does
-- not.

local BLANK, WHITE, BLACK = " ", "0", "f"

-- The digit of each colour, as `blit` takes it.
local DIGITS = {}
for index = 0, 15 do
    DIGITS[2 ^ index] = ("%x"):format(index)
end

---Puts some text into a line, as far as it lies on it.
local function put(line, x, text)
    if x < 1 then
        text, x = text:sub(2 - x), 1
    end
    text = text:sub(1, math.max(#line - x + 1, 0))
    return line:sub(1, x - 1) .. text .. line:sub(x + #text)
end

---Makes a terminal that passes everything on and remembers it.
---@param below table the terminal that shows it
---@return table
local function recording(below)
    local screen, lines, known_width = {}, {}, nil
    for name, method in pairs(below) do
        screen[name] = method
    end

    local function blank_line(width)
        local text_colour, background = DIGITS[below.getTextColor()], DIGITS[below.getBackgroundColor()]
        return { BLANK:rep(width), text_colour:rep(width), background:rep(width) }
    end

    ---Makes the memory as large as the screen is now.
    local function fit()
        local width, height = below.getSize()
        if width == known_width and height == #lines then
            return width, height
        end
        known_width = width
        for y = 1, height do
            local line = lines[y] or { "", "", "" }
            for index, filler in ipairs({ BLANK, WHITE, BLACK }) do
                line[index] = (line[index] .. filler:rep(width - #line[index])):sub(1, width)
            end
            lines[y] = line
        end
        for y = #lines, height + 1, -1 do
            lines[y] = nil
        end
        return width, height
    end

    local function remember(text, text_colours, backgrounds)
        fit()
        local x, y = below.getCursorPos()
        local line = lines[y]
        if line then
            line[1] = put(line[1], x, text)
            line[2] = put(line[2], x, text_colours)
            line[3] = put(line[3], x, backgrounds)
        end
    end

    function screen.write(text)
        local shown = tostring(text)
        local text_colour, background = DIGITS[below.getTextColor()], DIGITS[below.getBackgroundColor()]
        remember(shown, text_colour:rep(#shown), background:rep(#shown))
        return below.write(text)
    end

    function screen.blit(text, text_colours, backgrounds)
        -- Wrong arguments are for the terminal to refuse.
        local is_sound = type(text) == "string"
            and type(text_colours) == "string"
            and type(backgrounds) == "string"
            and #text == #text_colours
            and #text == #backgrounds
        if is_sound then
            remember(text, (text_colours:lower():gsub("%X", WHITE)), (backgrounds:lower():gsub("%X", BLACK)))
        end
        return below.blit(text, text_colours, backgrounds)
    end

    function screen.clear()
        local width, height = fit()
        for y = 1, height do
            lines[y] = blank_line(width)
        end
        return below.clear()
    end

    function screen.clearLine()
        local width = fit()
        local _, y = below.getCursorPos()
        if lines[y] then
            lines[y] = blank_line(width)
        end
        return below.clearLine()
    end

    function screen.scroll(count)
        local width, height = fit()
        if type(count) == "number" then
            local moved = {}
            for y = 1, height do
                moved[y] = lines[y + count] or blank_line(width)
            end
            lines = moved
        end
        return below.scroll(count)
    end

    ---Gives a line: its text, the colours of the text and those behind it, as `blit` takes them.
    function screen.getLine(y)
        local _, height = fit()
        if type(y) ~= "number" or y < 1 or y > height or y % 1 ~= 0 then
            error("Line is out of range.", 2)
        end
        return table.unpack(lines[y], 1, 3)
    end

    return screen
end

---Runs a function on a terminal that remembers, and puts the one that was there back.
---@param body function
---@return any ... what the function returned
local function with_memory(body)
    local before = term.current()
    if before.getLine then
        return body()
    end
    term.redirect(recording(before))
    local results = table.pack(pcall(body))
    term.redirect(before)
    if not results[1] then
        error(results[2], 0)
    end
    return table.unpack(results, 2, results.n)
end

return { recording = recording, with_memory = with_memory }
