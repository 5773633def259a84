-- paintutils: pixels, lines, boxes and images on the terminal. A pixel is a blank with a
-- background.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local api = _ENV

local function take(colour)
    if colour then term.setBackgroundColour(colour) end
end

--- Draws a side of a box, in which nothing of the text is left.
local function draw_side(x, y, count)
    local digits = colors.toBlit(term.getBackgroundColour()):rep(count)
    term.setCursorPos(x, y)
    term.blit((" "):rep(count), digits, digits)
end

--- Draws some pixels beside each other.
local function draw_row(x, y, count)
    term.setCursorPos(x, y)
    term.write((" "):rep(count))
end

-- What a digit of an image stands for. Everything else is a hole.
local HOLE = 0
local colour_of = setmetatable({}, { __index = function() return HOLE end })
for bit = 0, 15 do colour_of[("%x"):format(bit)] = 2 ^ bit end

--- Reads an image: a line for each row, a digit for each pixel.
---@param image string
---@return number[][]
function api.parseImage(image)
    expect(1, image, "string")
    local rows = {}
    for digits in (image .. "\n"):gmatch("(.-)\n") do
        local row = {}
        for digit in digits:gmatch(".") do table.insert(row, colour_of[digit]) end
        table.insert(rows, row)
    end
    return rows
end

--- Reads an image from a file.
---@param path string
---@return number[][]|nil
function api.loadImage(path)
    expect(1, path, "string")
    local file = fs.exists(path) and io.open(path, "r")
    if not file then return nil end
    local image = file:read("*a")
    file:close()
    return api.parseImage(image)
end

--- Draws a pixel.
---@param xPos number
---@param yPos number
---@param colour number|nil
function api.drawPixel(xPos, yPos, colour)
    expect(1, xPos, "number")
    expect(2, yPos, "number")
    expect(3, colour, "number", "nil")
    take(colour)
    draw_row(math.floor(xPos), math.floor(yPos), 1)
end

--- Makes a function that draws between two points, given in whole numbers.
local function shape(draw)
    return function(startX, startY, endX, endY, colour)
        local ends = { startX, startY, endX, endY }
        for index = 1, 4 do ends[index] = math.floor(expect(index, ends[index], "number")) end
        expect(5, colour, "number", "nil")
        take(colour)
        draw(table.unpack(ends))
    end
end

--- Makes a function that draws a box, given by its sides.
local function box(draw)
    return shape(function(x1, y1, x2, y2)
        draw(math.min(x1, x2), math.min(y1, y2), math.max(x1, x2), math.max(y1, y2))
    end)
end

--- Draws a line, from the left to the right: one pixel for each step along its longer side.
api.drawLine = shape(function(x1, y1, x2, y2)
    if x1 > x2 then x1, y1, x2, y2 = x2, y2, x1, y1 end
    local steps = math.max(x2 - x1, math.abs(y2 - y1))
    local x, y = x1, y1
    for _ = 0, steps do
        draw_row(math.floor(x + 0.5), math.floor(y + 0.5), 1)
        -- Step by step, as rounding errors decide where a line that goes half way bends.
        x, y = x + (x2 - x1) / steps, y + (y2 - y1) / steps
    end
end)

--- Draws the outline of a box.
api.drawBox = box(function(left, top, right, bottom)
    draw_side(left, top, right - left + 1)
    for y = top + 1, bottom - 1 do
        draw_side(left, y, 1)
        draw_side(right, y, 1)
    end
    if bottom > top then draw_side(left, bottom, right - left + 1) end
end)

--- Draws a box and what is inside.
api.drawFilledBox = box(function(left, top, right, bottom)
    for y = top, bottom do draw_side(left, y, right - left + 1) end
end)

--- Draws an image.
---@param image number[][]
---@param xPos number
---@param yPos number
function api.drawImage(image, xPos, yPos)
    expect(1, image, "table")
    expect(2, xPos, "number")
    expect(3, yPos, "number")
    for row = 1, #image do
        local pixels = image[row]
        for column = 1, #pixels do
            local colour = pixels[column]
            if colour > HOLE then
                take(colour)
                draw_row(math.floor(xPos + column - 1), math.floor(yPos + row - 1), 1)
            end
        end
    end
end
