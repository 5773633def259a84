-- cc.internal.window: terminals that are a part of another one and remember what was
-- drawn, for window.create.

local include = type((...)) == "function" and (...) or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

-- The digits of the colours; drawing looks here instead of calculating.
local digit_of = {}
for index = 0, 15 do digit_of[2 ^ index] = ("%x"):format(index) end

--- Reduces a set of colours to its highest one.
---@param colour number
---@return number|nil
local function parse_colour(colour)
    if digit_of[colour] then return colour end
    if colour < 0 or colour > 0xFFFF then return nil end
    if colour < 1 then return nil end
    return 2 ^ math.floor(math.log(colour, 2) + 1e-9)
end

--- Makes a terminal inside another one. The arguments are checked.
---@param parent table
---@param left number
---@param top number
---@param width number
---@param height number
---@param visible boolean
---@return table
return function(parent, left, top, width, height, visible)
    local cursor_x, cursor_y, cursor_blink = 1, 1, false
    local text_colour, background_colour = colors.white, colors.black

    -- The digits of the two colours, and a line's worth of blanks and of each digit.
    local text_digit, background_digit = "0", "f"
    local blank_line
    local digit_lines = {}

    local function digit_line(digit)
        local line = digit_lines[digit]
        if not line then
            line = digit:rep(width)
            digit_lines[digit] = line
        end
        return line
    end

    local function prepare_lines()
        blank_line = (" "):rep(width)
        digit_lines = {}
    end
    prepare_lines()

    ---@type { [1]: string, [2]: string, [3]: string }[] text, text colours and backgrounds
    local lines = {}
    for y = 1, height do
        lines[y] = { blank_line, digit_line(text_digit), digit_line(background_digit) }
    end

    local palette = {}
    for index = 0, 15 do
        local colour = 2 ^ index
        palette[colour] = { parent.getPaletteColour(colour) }
    end

    -- Drawing on the parent ----------------------------------------------

    local function draw_line(y)
        local line = lines[y]
        parent.setCursorPos(left, top + y - 1)
        parent.blit(line[1], line[2], line[3])
    end

    local function draw_all()
        for y = 1, height do draw_line(y) end
    end

    local function update_cursor()
        if cursor_x >= 1 and cursor_y >= 1 and cursor_x <= width and cursor_y <= height then
            parent.setCursorPos(left + cursor_x - 1, top + cursor_y - 1)
        else
            -- Where it cannot be seen.
            parent.setCursorPos(0, 0)
        end
        parent.setCursorBlink(cursor_blink)
        parent.setTextColour(text_colour)
    end

    local function update_palette()
        for colour, rgb in pairs(palette) do parent.setPaletteColour(colour, rgb[1], rgb[2], rgb[3]) end
    end

    --- Puts text into the current line, as far as it is inside.
    local function put(text, text_digits, background_digits)
        local first, last = cursor_x, cursor_x + #text - 1
        if cursor_y >= 1 and cursor_y <= height and first <= width and last >= 1 then
            local line = lines[cursor_y]
            if first == 1 and last == width then
                line[1], line[2], line[3] = text, text_digits, background_digits
            else
                local from, to = 1, #text
                if first < 1 then
                    from = 2 - first
                    first = 1
                end
                if last > width then
                    to = to - (last - width)
                    last = width
                end
                local function splice(old, new)
                    return old:sub(1, first - 1) .. new:sub(from, to) .. old:sub(last + 1, width)
                end
                line[1] = splice(line[1], text)
                line[2] = splice(line[2], text_digits)
                line[3] = splice(line[3], background_digits)
            end
            if visible then draw_line(cursor_y) end
        end
        cursor_x = cursor_x + #text
        if visible then update_cursor() end
    end

    -- The terminal -------------------------------------------------------

    local window = {}

    function window.write(text)
        text = tostring(text)
        put(text, text_digit:rep(#text), background_digit:rep(#text))
    end

    function window.blit(text, text_digits, background_digits)
        if type(text) ~= "string" then expect(1, text, "string") end
        if type(text_digits) ~= "string" then expect(2, text_digits, "string") end
        if type(background_digits) ~= "string" then expect(3, background_digits, "string") end
        if #text_digits ~= #text or #background_digits ~= #text then
            error("Arguments must be the same length", 2)
        end
        put(text, text_digits:lower(), background_digits:lower())
    end

    function window.clear()
        for y = 1, height do
            local line = lines[y]
            line[1], line[2], line[3] = blank_line, digit_line(text_digit), digit_line(background_digit)
        end
        if visible then
            draw_all()
            update_cursor()
        end
    end

    function window.clearLine()
        if cursor_y >= 1 and cursor_y <= height then
            local line = lines[cursor_y]
            line[1], line[2], line[3] = blank_line, digit_line(text_digit), digit_line(background_digit)
            if visible then
                draw_line(cursor_y)
                update_cursor()
            end
        end
    end

    function window.getCursorPos()
        return cursor_x, cursor_y
    end

    function window.setCursorPos(x, y)
        if type(x) ~= "number" then expect(1, x, "number") end
        if type(y) ~= "number" then expect(2, y, "number") end
        cursor_x, cursor_y = math.floor(x), math.floor(y)
        if visible then update_cursor() end
    end

    function window.setCursorBlink(blink)
        if type(blink) ~= "boolean" then expect(1, blink, "boolean") end
        cursor_blink = blink
        if visible then parent.setCursorBlink(blink) end
    end

    function window.getCursorBlink()
        return cursor_blink
    end

    function window.isColor()
        return parent.isColor()
    end

    window.isColour = window.isColor

    function window.setTextColor(colour)
        if type(colour) ~= "number" then expect(1, colour, "number") end
        local parsed = parse_colour(colour)
        if not parsed then error("Colour out of range", 2) end
        text_colour, text_digit = parsed, digit_of[parsed]
        if visible then parent.setTextColour(parsed) end
    end

    window.setTextColour = window.setTextColor

    function window.getTextColor()
        return text_colour
    end

    window.getTextColour = window.getTextColor

    function window.setBackgroundColor(colour)
        if type(colour) ~= "number" then expect(1, colour, "number") end
        local parsed = parse_colour(colour)
        if not parsed then error("Colour out of range", 2) end
        background_colour, background_digit = parsed, digit_of[parsed]
    end

    window.setBackgroundColour = window.setBackgroundColor

    function window.getBackgroundColor()
        return background_colour
    end

    window.getBackgroundColour = window.getBackgroundColor

    function window.setPaletteColor(colour, r, g, b)
        if type(colour) ~= "number" then expect(1, colour, "number") end
        local parsed = parse_colour(colour)
        if not parsed then error("Colour out of range", 2) end
        if type(r) == "number" and g == nil and b == nil then
            palette[parsed] = { colors.unpackRGB(r) }
        else
            if type(r) ~= "number" then expect(2, r, "number") end
            if type(g) ~= "number" then expect(3, g, "number") end
            if type(b) ~= "number" then expect(4, b, "number") end
            palette[parsed] = { r, g, b }
        end
        if visible then
            local rgb = palette[parsed]
            return parent.setPaletteColour(parsed, rgb[1], rgb[2], rgb[3])
        end
    end

    window.setPaletteColour = window.setPaletteColor

    function window.getPaletteColor(colour)
        if type(colour) ~= "number" then expect(1, colour, "number") end
        local parsed = parse_colour(colour)
        if not parsed then error("Colour out of range", 2) end
        return table.unpack(palette[parsed])
    end

    window.getPaletteColour = window.getPaletteColor

    function window.getSize()
        return width, height
    end

    function window.scroll(count)
        if type(count) ~= "number" then expect(1, count, "number") end
        if count == 0 then return end
        local scrolled = {}
        for y = 1, height do
            scrolled[y] = lines[y + count]
                or { blank_line, digit_line(text_digit), digit_line(background_digit) }
        end
        lines = scrolled
        if visible then
            draw_all()
            update_cursor()
        end
    end

    -- Graphics exist only on the computer's own screen.
    function window.setGraphicsMode() end

    -- What only windows have ---------------------------------------------

    function window.getLine(y)
        if type(y) ~= "number" then expect(1, y, "number") end
        if y < 1 or y > height then error("Line is out of range.", 2) end
        local line = lines[y]
        return line[1], line[2], line[3]
    end

    function window.setVisible(new_visible)
        if type(new_visible) ~= "boolean" then expect(1, new_visible, "boolean") end
        if visible == new_visible then return end
        visible = new_visible
        if visible then window.redraw() end
    end

    function window.isVisible()
        return visible
    end

    function window.redraw()
        if not visible then return end
        draw_all()
        update_palette()
        update_cursor()
    end

    function window.restoreCursor()
        if visible then update_cursor() end
    end

    function window.getPosition()
        return left, top
    end

    function window.reposition(new_x, new_y, new_width, new_height, new_parent)
        if type(new_x) ~= "number" then expect(1, new_x, "number") end
        if type(new_y) ~= "number" then expect(2, new_y, "number") end
        if new_width ~= nil or new_height ~= nil then
            expect(3, new_width, "number")
            expect(4, new_height, "number")
        end
        if new_parent ~= nil and type(new_parent) ~= "table" then expect(5, new_parent, "table") end

        left, top = new_x, new_y
        if new_parent then parent = new_parent end
        if new_width and new_height then
            local old_width, old_lines = width, lines
            width, height = new_width, new_height
            prepare_lines()
            lines = {}
            for y = 1, height do
                local old = old_lines[y]
                if not old then
                    lines[y] = { blank_line, digit_line(text_digit), digit_line(background_digit) }
                elseif width == old_width then
                    lines[y] = old
                elseif width < old_width then
                    lines[y] = { old[1]:sub(1, width), old[2]:sub(1, width), old[3]:sub(1, width) }
                else
                    local added = width - old_width
                    lines[y] = {
                        old[1] .. (" "):rep(added),
                        old[2] .. text_digit:rep(added),
                        old[3] .. background_digit:rep(added),
                    }
                end
            end
        end
        if visible then window.redraw() end
    end

    if visible then window.redraw() end
    return window
end
