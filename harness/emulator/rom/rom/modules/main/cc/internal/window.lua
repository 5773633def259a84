-- cc.internal.window: a terminal that draws on another one. What stands on it is a buffer;
-- this file has the cursor, the colours, and what the parent is told, which others can see.

local include = type((...)) == "function" and (...) or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect
local new_buffer = include("rom/modules/main/cc/internal/buffer.lua")

local type, tostring, floor = type, tostring, math.floor

-- The digit of each colour, and the colours in order.
local DIGITS, COLOURS = {}, {}
for index = 0, 15 do
    COLOURS[index + 1] = 2 ^ index
    DIGITS[2 ^ index] = ("%x"):format(index)
end
local BEYOND_COLOURS = 2 ^ 16

-- CraftOS-PC has graphics, the game has none.
local HAS_GRAPHICS = term.native().getGraphicsMode ~= nil

-- Methods whose names end in `Color`, and in `Colour` too.
local COLOUR_METHODS =
    { "is", "getText", "setText", "getBackground", "setBackground", "getPalette", "setPalette" }

--- Finds the colour that a number means: of several the highest. To be called by methods
--- themselves, because it raises where those were called.
local function colour_of(number)
    if DIGITS[number] then return number end
    if number < 0 or number >= BEYOND_COLOURS then error("Colour out of range", 3) end
    for index = 16, 1, -1 do
        if COLOURS[index] <= number then return COLOURS[index] end
    end
    return number
end

--- Makes a window.
---@param parent table
---@param area { x: number, y: number, width: number, height: number } as it was asked for, fractions too
---@param visible boolean
---@return table
return function(parent, area, visible)
    local window = {}
    local column, row, blink = 1, 1, false
    local colours = { ink = COLOURS[1], paper = COLOURS[16] }
    local ink, paper = DIGITS[colours.ink], DIGITS[colours.paper]
    local buffer = new_buffer(area.width, area.height, ink, paper)
    local palette = {}
    for _, colour in ipairs(COLOURS) do palette[colour] = { parent.getPaletteColour(colour) } end

    -- What the parent is told ----------------------------------------------

    --- The cursor of a window that is outside of it is put where nobody sees it.
    local function send_cursor()
        if column >= 1 and column <= buffer.columns and row >= 1 and row <= buffer.rows then
            parent.setCursorPos(area.x + column - 1, area.y + row - 1)
        else
            parent.setCursorPos(0, 0)
        end
    end

    --- Drawing moves the parent's cursor, so this comes after it.
    local function send_pen()
        parent.setTextColor(colours.ink)
        send_cursor()
    end

    local function send_rows(first, last)
        local text, inks, papers = buffer.text, buffer.ink, buffer.paper
        for which = first, last do
            parent.setCursorPos(area.x, area.y + which - 1)
            parent.blit(text[which], inks[which], papers[which])
        end
    end

    local function send_all()
        send_rows(1, buffer.rows)
        for _, colour in ipairs(COLOURS) do parent.setPaletteColour(colour, table.unpack(palette[colour])) end
        parent.setCursorBlink(blink)
        send_pen()
    end

    -- Text -----------------------------------------------------------------

    local function put(text, inks, papers)
        local at = column
        column = at + #text
        local inside = buffer:put(at, row, text, inks, papers)
        if visible then
            if inside then send_rows(row, row) end
            send_pen()
        end
    end

    function window.write(text)
        if type(text) ~= "string" then text = tostring(text) end
        put(text, ink, paper)
    end

    function window.blit(text, text_colours, background_colours)
        -- Programs draw with this: `expect` is only asked when something is wrong.
        if type(text) ~= "string" or type(text_colours) ~= "string" or type(background_colours) ~= "string" then
            expect(1, text, "string")
            expect(2, text_colours, "string")
            expect(3, background_colours, "string")
        end
        local length = #text
        if length ~= #text_colours or length ~= #background_colours then
            error("Arguments must be the same length", 2)
        end
        put(text, text_colours:lower(), background_colours:lower())
    end

    function window.clear()
        buffer:blank(1, buffer.rows, ink, paper)
        if visible then
            send_rows(1, buffer.rows)
            send_pen()
        end
    end

    function window.clearLine()
        if not buffer.text[row] then return end
        buffer:blank(row, row, ink, paper)
        if visible then
            send_rows(row, row)
            send_pen()
        end
    end

    function window.scroll(lines)
        expect(1, lines, "number")
        if lines == 0 then return end
        buffer:shift(lines, ink, paper)
        if visible then
            send_rows(1, buffer.rows)
            send_pen()
        end
    end

    function window.getLine(y)
        expect(1, y, "number")
        local text = buffer.text[y]
        if not text then error("Line is out of range.", 2) end
        return text, buffer.ink[y], buffer.paper[y]
    end

    -- Cursor and colours -----------------------------------------------------

    function window.getCursorPos() return column, row end

    function window.setCursorPos(x, y)
        if type(x) ~= "number" or type(y) ~= "number" then
            expect(1, x, "number")
            expect(2, y, "number")
        end
        column, row = floor(x), floor(y)
        if visible then send_cursor() end
    end

    function window.getCursorBlink() return blink end

    function window.setCursorBlink(on)
        blink = expect(1, on, "boolean")
        if visible then parent.setCursorBlink(on) end
    end

    function window.isColor() return parent.isColor() end

    function window.getTextColor() return colours.ink end

    function window.setTextColor(colour)
        expect(1, colour, "number")
        colours.ink = colour_of(colour)
        ink = DIGITS[colours.ink]
        if visible then parent.setTextColor(colours.ink) end
    end

    function window.getBackgroundColor() return colours.paper end

    function window.setBackgroundColor(colour)
        expect(1, colour, "number")
        colours.paper = colour_of(colour)
        paper = DIGITS[colours.paper]
    end

    function window.getPaletteColor(colour)
        expect(1, colour, "number")
        local known = palette[colour_of(colour)]
        if known then return known[1], known[2], known[3] end
        return 0, 0, 0
    end

    function window.setPaletteColor(colour, r, g, b)
        expect(1, colour, "number")
        local chosen = colour_of(colour)
        expect(2, r, "number")
        local shades = { r, g, b }
        if g == nil and b == nil then
            shades = { colors.unpackRGB(r) }
        else
            expect(3, g, "number")
            expect(4, b, "number")
        end
        palette[chosen] = shades
        if visible then parent.setPaletteColour(chosen, table.unpack(shades)) end
    end

    -- Only a terminal of the computer itself has graphics, not the windows on it.
    if parent.getGraphicsMode then
        function window.setGraphicsMode(mode) parent.setGraphicsMode(mode) end
    end

    -- The window itself ------------------------------------------------------

    function window.getSize(mode)
        -- In pixels, which only the computer's own terminal has.
        if HAS_GRAPHICS and mode and mode ~= 0 then return parent.getSize(mode) end
        return area.width, area.height
    end

    function window.getPosition() return area.x, area.y end

    function window.isVisible() return visible end

    function window.setVisible(show)
        expect(1, show, "boolean")
        local appears = show and not visible
        visible = show
        if appears then send_all() end
    end

    function window.redraw()
        if visible then send_all() end
    end

    function window.restoreCursor()
        if not visible then return end
        parent.setCursorBlink(blink)
        send_pen()
    end

    function window.reposition(new_x, new_y, new_width, new_height, new_parent)
        expect(1, new_x, "number")
        expect(2, new_y, "number")
        local resized = new_width ~= nil or new_height ~= nil
        if resized then
            expect(3, new_width, "number")
            expect(4, new_height, "number")
        end
        parent = expect(5, new_parent, "table", "nil") or parent
        area.x, area.y = new_x, new_y
        if resized then
            area.width, area.height = new_width, new_height
            buffer:resize(new_width, new_height, ink, paper)
        end
        if visible then send_all() end
    end

    for _, name in ipairs(COLOUR_METHODS) do window[name .. "Colour"] = window[name .. "Color"] end
    if visible then send_all() end
    return window
end
