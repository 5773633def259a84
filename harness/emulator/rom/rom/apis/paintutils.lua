-- paintutils: draws pixels, lines, boxes and images.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local paintutils = _ENV

local function draw_pixel(x, y)
    term.setCursorPos(x, y)
    term.write(" ")
end

--- Rounds the corners of a shape and puts the smaller ones first.
local function sorted_corners(start_x, start_y, end_x, end_y)
    local x1, y1 = math.floor(start_x), math.floor(start_y)
    local x2, y2 = math.floor(end_x), math.floor(end_y)
    if x1 > x2 then x1, x2 = x2, x1 end
    if y1 > y2 then y1, y2 = y2, y1 end
    return x1, y1, x2, y2
end

local function check_shape(start_x, start_y, end_x, end_y, colour)
    -- Raised for the caller of the drawing function, which is one level further up.
    local arguments = { start_x, start_y, end_x, end_y }
    for index = 1, 4 do
        if type(arguments[index]) ~= "number" then return index, arguments[index] end
    end
    if colour ~= nil and type(colour) ~= "number" then return 5, colour end
end

--- Reads an image: a character for each pixel, a lower-case hexadecimal digit is a colour.
---@param image string
---@return number[][]
function paintutils.parseImage(image)
    expect(1, image, "string")
    local rows = {}
    for line in (image .. "\n"):gmatch("(.-)\n") do
        local row = {}
        for x = 1, #line do
            local digit = line:sub(x, x):match("[0-9a-f]")
            row[x] = digit and 2 ^ tonumber(digit, 16) or 0
        end
        rows[#rows + 1] = row
    end
    return rows
end

--- Reads an image from a file.
---@param path string
---@return number[][]|nil
function paintutils.loadImage(path)
    expect(1, path, "string")
    if not fs.exists(path) then return nil end
    local handle = fs.open(path, "r")
    if not handle then return nil end
    local content = handle.readAll() or ""
    handle.close()
    return paintutils.parseImage(content)
end

--- Colours one pixel.
function paintutils.drawPixel(x, y, colour)
    expect(1, x, "number")
    expect(2, y, "number")
    expect(3, colour, "number", "nil")
    if colour then term.setBackgroundColor(colour) end
    return draw_pixel(math.floor(x), math.floor(y))
end

--- Draws a straight line.
function paintutils.drawLine(start_x, start_y, end_x, end_y, colour)
    local bad, value = check_shape(start_x, start_y, end_x, end_y, colour)
    if bad then expect(bad, value, "number") end
    start_x, start_y = math.floor(start_x), math.floor(start_y)
    end_x, end_y = math.floor(end_x), math.floor(end_y)
    if colour then term.setBackgroundColor(colour) end

    -- Lines go from the left to the right.
    if start_x > end_x then
        start_x, start_y, end_x, end_y = end_x, end_y, start_x, start_y
    end
    local x_distance, y_distance = end_x - start_x, end_y - start_y
    local steps = math.max(math.abs(x_distance), math.abs(y_distance))
    if steps == 0 then return draw_pixel(start_x, start_y) end
    for step = 0, steps do
        draw_pixel(
            math.floor(start_x + x_distance * step / steps + 0.5),
            math.floor(start_y + y_distance * step / steps + 0.5)
        )
    end
end

--- Draws the outline of a box.
function paintutils.drawBox(start_x, start_y, end_x, end_y, colour)
    local bad, value = check_shape(start_x, start_y, end_x, end_y, colour)
    if bad then expect(bad, value, "number") end
    if colour then
        term.setBackgroundColor(colour)
    else
        colour = term.getBackgroundColour()
    end
    local digit = colors.toBlit(colour)
    local x1, y1, x2, y2 = sorted_corners(start_x, start_y, end_x, end_y)
    local width = x2 - x1 + 1

    for y = y1, y2 do
        if y == y1 or y == y2 then
            term.setCursorPos(x1, y)
            term.blit((" "):rep(width), digit:rep(width), digit:rep(width))
        else
            term.setCursorPos(x1, y)
            term.blit(" ", digit, digit)
            term.setCursorPos(x2, y)
            term.blit(" ", digit, digit)
        end
    end
end

--- Draws a filled box.
function paintutils.drawFilledBox(start_x, start_y, end_x, end_y, colour)
    local bad, value = check_shape(start_x, start_y, end_x, end_y, colour)
    if bad then expect(bad, value, "number") end
    if colour then
        term.setBackgroundColor(colour)
    else
        colour = term.getBackgroundColour()
    end
    local digit = colors.toBlit(colour)
    local x1, y1, x2, y2 = sorted_corners(start_x, start_y, end_x, end_y)
    local width = x2 - x1 + 1

    for y = y1, y2 do
        term.setCursorPos(x1, y)
        term.blit((" "):rep(width), digit:rep(width), digit:rep(width))
    end
end

--- Draws an image that parseImage made.
---@param image number[][]
function paintutils.drawImage(image, x, y)
    expect(1, image, "table")
    expect(2, x, "number")
    expect(3, y, "number")
    for row_index, row in ipairs(image) do
        for column, colour in ipairs(row) do
            if colour > 0 then
                term.setBackgroundColor(colour)
                draw_pixel(x + column - 1, y + row_index - 1)
            end
        end
    end
end
