-- cc.internal.window: a terminal that is a part of another one. It keeps what stands on
-- it in a buffer, and draws on its parent while it is visible.

local include = type((...)) == "function" and (...) or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect
local new_buffer = include("rom/modules/main/cc/internal/buffer.lua")

local floor, rep = math.floor, string.rep

-- Digits of the sixteen colours, which are also all that have a place in the palette.
local digit_of, all_colours = {}, {}
for bit = 0, 15 do
    all_colours[bit + 1] = 2 ^ bit
    digit_of[2 ^ bit] = ("%x"):format(bit)
end
local PAST_LAST_COLOUR = 2 ^ 16
local NO_COLOUR = { 0, 0, 0 }

-- Where the cursor of the parent goes while it is not to be seen.
local OUTSIDE = 0

--- Finds the colour that a number stands for: of several, the highest. Raises at the
--- caller of the method that asks.
local function one_colour(number)
    if digit_of[number] then return number end
    if number < 0 or number >= PAST_LAST_COLOUR then error("Colour out of range", 3) end
    return 2 ^ floor(math.log(number) / math.log(2))
end

--- Makes a window. The arguments were checked.
---@return table
return function(parent, left, top, width, height, visible)
    local buffer = new_buffer(width, height, digit_of[colors.white], digit_of[colors.black])
    local ink, paper, blink = colors.white, colors.black, false
    local palette = {}
    local channels_of = parent.getPaletteColour
    for index = 1, #all_colours do
        local colour = all_colours[index]
        palette[colour] = { channels_of(colour) }
    end

    -- Drawing. Each of these expects the window to be visible.

    local function draw_row(y)
        local row = buffer.rows[y]
        parent.setCursorPos(left, top + y - 1)
        parent.blit(row[1], row[2], row[3])
    end

    local function draw_rows()
        local move, blit, rows = parent.setCursorPos, parent.blit, buffer.rows
        for y = 1, buffer.height do
            local row = rows[y]
            move(left, top + y - 1)
            blit(row[1], row[2], row[3])
        end
    end

    local function draw_palette()
        local set = parent.setPaletteColour
        for index = 1, #all_colours do
            local colour = all_colours[index]
            local channels = palette[colour]
            set(colour, channels[1], channels[2], channels[3])
        end
    end

    local function place_cursor()
        local x, y = buffer.x, buffer.y
        if x >= 1 and y >= 1 and x <= buffer.width and y <= buffer.height then
            parent.setCursorPos(left + x - 1, top + y - 1)
        else
            parent.setCursorPos(OUTSIDE, OUTSIDE)
        end
    end

    --- Leaves the parent as the next one to write expects it.
    local function settle()
        parent.setTextColor(ink)
        place_cursor()
    end

    local function settle_all()
        parent.setCursorBlink(blink)
        settle()
    end

    local function draw_all()
        draw_rows()
        draw_palette()
        settle_all()
    end

    local function put(text, inks, papers)
        local changed = buffer:put(text, inks, papers)
        if not visible then return end
        if changed then draw_row(buffer.y) end
        settle()
    end

    local window = {}

    -- Text

    function window.write(text)
        text = tostring(text)
        local count = #text
        put(text, rep(buffer.ink, count), rep(buffer.paper, count))
    end

    function window.blit(text, text_colour, background_colour)
        expect(1, text, "string")
        expect(2, text_colour, "string")
        expect(3, background_colour, "string")
        if #text_colour ~= #text or #background_colour ~= #text then
            error("Arguments must be the same length", 2)
        end
        put(text, text_colour:lower(), background_colour:lower())
    end

    function window.clear()
        buffer:clear()
        if not visible then return end
        draw_rows()
        settle()
    end

    function window.clearLine()
        if not buffer:clear_row() or not visible then return end
        draw_row(buffer.y)
        settle()
    end

    function window.scroll(lines)
        expect(1, lines, "number")
        if lines == 0 then return end
        buffer:scroll(lines)
        if not visible then return end
        draw_rows()
        settle()
    end

    function window.getLine(y)
        local line = buffer.rows[y]
        if not line then
            expect(1, y, "number")
            if y < 1 or y > buffer.height then error("Line is out of range.", 2) end
            line = buffer.rows[floor(y)]
        end
        return line[1], line[2], line[3]
    end

    --- Returns the size in characters; what other modes count in, the parent knows.
    function window.getSize(mode)
        if mode and mode ~= 0 then return parent.getSize(mode) end
        return buffer.width, buffer.height
    end

    -- Cursor

    function window.getCursorPos() return buffer.x, buffer.y end

    function window.setCursorPos(x, y)
        -- Programs move the cursor all the time: what is right is seen at a glance.
        if type(x) ~= "number" or type(y) ~= "number" then
            expect(1, x, "number")
            expect(2, y, "number")
        end
        buffer.x, buffer.y = floor(x), floor(y)
        if visible then place_cursor() end
    end

    function window.getCursorBlink() return blink end

    function window.setCursorBlink(enabled)
        expect(1, enabled, "boolean")
        blink = enabled
        if visible then parent.setCursorBlink(enabled) end
    end

    function window.restoreCursor()
        if visible then settle_all() end
    end

    -- Colours

    function window.setTextColor(colour)
        if not digit_of[colour] then colour = one_colour(expect(1, colour, "number")) end
        ink, buffer.ink = colour, digit_of[colour]
        if visible then parent.setTextColor(ink) end
    end

    function window.setBackgroundColor(colour)
        if not digit_of[colour] then colour = one_colour(expect(1, colour, "number")) end
        paper, buffer.paper = colour, digit_of[colour]
    end

    function window.getTextColor() return ink end

    function window.getBackgroundColor() return paper end

    function window.setPaletteColor(colour, r, g, b)
        if not digit_of[colour] then colour = one_colour(expect(1, colour, "number")) end
        expect(2, r, "number")
        -- One number has all three channels.
        if g == nil and b == nil then r, g, b = colors.unpackRGB(r) end
        expect(3, g, "number")
        expect(4, b, "number")
        local channels = palette[colour]
        if channels then
            channels[1], channels[2], channels[3] = r, g, b
        else
            palette[colour] = { r, g, b }
        end
        if visible then parent.setPaletteColour(colour, r, g, b) end
    end

    function window.getPaletteColor(colour)
        if not digit_of[colour] then colour = one_colour(expect(1, colour, "number")) end
        -- A fraction of a colour is none, and black.
        local channels = palette[colour] or NO_COLOUR
        return channels[1], channels[2], channels[3]
    end

    function window.isColor() return parent.isColor() end

    for american, british in pairs({
        getBackgroundColor = "getBackgroundColour",
        getPaletteColor = "getPaletteColour",
        getTextColor = "getTextColour",
        isColor = "isColour",
        setBackgroundColor = "setBackgroundColour",
        setPaletteColor = "setPaletteColour",
        setTextColor = "setTextColour",
    }) do
        window[british] = window[american]
    end

    -- The window itself

    function window.isVisible() return visible end

    function window.setVisible(visibility)
        expect(1, visibility, "boolean")
        local appears = visibility and not visible
        visible = visibility
        if appears then draw_all() end
    end

    function window.redraw()
        if visible then draw_all() end
    end

    function window.getPosition() return left, top end

    function window.reposition(new_x, new_y, new_width, new_height, new_parent)
        expect(1, new_x, "number")
        expect(2, new_y, "number")
        if new_width ~= nil or new_height ~= nil then
            expect(3, new_width, "number")
            expect(4, new_height, "number")
        end
        parent = expect(5, new_parent, "table", "nil") or parent
        left, top = new_x, new_y
        if new_width then buffer:resize(new_width, new_height) end
        if visible then draw_all() end
    end

    if visible then draw_all() end
    return window
end
