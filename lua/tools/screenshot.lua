-- The tool `screenshot`: the screen as text and as a picture. A terminal that can be read is needed, which
-- `mcp-computer` makes sure of.

local base64 = require("lib.base64")
local font = require("lib.font")
local png = require("lib.png")

-- A glyph is small: each of its dots becomes a square of two by two pixels, so that a dot's width is one byte.
local SCALE = 2

-- The byte for two pixels of one colour, by its digit in `blit`.
local TWO_PIXELS = {}
for index = 0, 15 do
    TWO_PIXELS[("%x"):format(index)] = string.char(index * 17)
end

-- What CC:Tweaked's character set has where it is not ASCII is shown as this in text.
local OTHER = "?"

local function as_text(lines)
    local shown = {}
    for y, line in ipairs(lines) do
        shown[y] = line.text:gsub("[\128-\159]", "#"):gsub("[^\32-\126]", OTHER):gsub("%s+$", "")
    end
    while #shown > 0 and shown[#shown] == "" do
        shown[#shown] = nil
    end
    return table.concat(shown, "\n")
end

---Gives the pixels of one row of dots.
local function pixels(line, dot_row)
    local row, count = {}, 0
    for x = 1, #line.text do
        local text_colour = TWO_PIXELS[line.text_colours:sub(x, x)]
        local background = TWO_PIXELS[line.backgrounds:sub(x, x)]
        local dots = font.dots(line.text:byte(x), dot_row)
        for column = 1, font.WIDTH do
            count = count + 1
            row[count] = dots[column] and text_colour or background
        end
    end
    return table.concat(row)
end

---Gives the colours as numbers. A CraftOS-PC without a window has one and the same for nearly all of them: there the
---ones that every computer begins with are shown.
local function palette_of(terminal)
    local function read(get)
        local palette, differ = {}, false
        for index = 0, 15 do
            palette[index + 1] = colors.packRGB(get(2 ^ index))
            differ = differ or (index > 1 and palette[index + 1] ~= palette[2])
        end
        return palette, differ
    end
    local palette, differ = read(terminal.getPaletteColor)
    if not differ and term.nativePaletteColor then
        palette = read(term.nativePaletteColor)
    end
    return palette
end

local function as_png(terminal, width, lines)
    local rows = {}
    for _, line in ipairs(lines) do
        for dot_row = 0, font.HEIGHT - 1 do
            local row = pixels(line, dot_row)
            for _ = 1, SCALE do
                rows[#rows + 1] = row
            end
        end
    end
    return png.encode(width * font.WIDTH * SCALE, rows, palette_of(terminal))
end

local function call(arguments)
    local terminal = term.current()
    if not terminal.getLine then
        error("this computer's terminal cannot be read; update `mcp-computer` on it", 0)
    end
    local width, height = terminal.getSize()
    local lines = {}
    for y = 1, height do
        local text, text_colours, backgrounds = terminal.getLine(y)
        lines[y] = { text = text, text_colours = text_colours, backgrounds = backgrounds }
    end
    local format, content = arguments.format or "both", {}
    if format ~= "png" then
        content[#content + 1] = { type = "text", text = as_text(lines) }
    end
    if format ~= "text" then
        local data = base64.encode(as_png(terminal, width, lines))
        content[#content + 1] = { type = "image", data = data, mimeType = "image/png" }
    end
    return { content = content }
end

return { call = call }
