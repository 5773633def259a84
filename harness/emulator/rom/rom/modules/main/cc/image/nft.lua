-- cc.image.nft: images of characters with colours, as text with escapes: \30 and a
-- hexadecimal digit is a background, \31 and one the colour of text.

local expect = dofile("rom/modules/main/cc/expect.lua").expect

--- Reads one line of an image.
local function parse_line(source)
    local text, foreground, background = {}, {}, {}
    local text_digit, background_digit = "0", "f"
    local position = 1
    while position <= #source do
        local char = source:sub(position, position)
        if char == "\30" and position < #source then
            background_digit = source:sub(position + 1, position + 1)
            position = position + 2
        elseif char == "\31" and position < #source then
            text_digit = source:sub(position + 1, position + 1)
            position = position + 2
        else
            local run = source:match("^[^\30\31]+", position) or char
            text[#text + 1] = run
            foreground[#foreground + 1] = text_digit:rep(#run)
            background[#background + 1] = background_digit:rep(#run)
            position = position + #run
        end
    end
    return {
        text = table.concat(text),
        foreground = table.concat(foreground),
        background = table.concat(background),
    }
end

--- Reads an image from text.
---@param image string
---@return { text: string, foreground: string, background: string }[]
local function parse(image)
    expect(1, image, "string")
    local lines = {}
    local position = 1
    while position <= #image do
        local found = image:find("\n", position, true)
        local line = parse_line(image:sub(position, (found or #image + 1) - 1))
        -- Colours alone, after the last line break, make no line.
        if found or line.text ~= "" then lines[#lines + 1] = line end
        position = (found or #image) + 1
    end
    return lines
end

--- Reads an image from a file.
---@param path string
---@return table|nil image
---@return string|nil message
local function load_image(path)
    expect(1, path, "string")
    local handle, message = io.open(path, "r")
    if not handle then return nil, message end
    local content = handle:read("*a")
    handle:close()
    return parse(content)
end

--- Draws an image.
---@param image table
---@param x number
---@param y number
---@param target table|nil
local function draw(image, x, y, target)
    expect(1, image, "table")
    expect(2, x, "number")
    expect(3, y, "number")
    expect(4, target, "table", "nil")
    target = target or term
    for index, line in ipairs(image) do
        target.setCursorPos(x, y + index - 1)
        target.blit(line.text, line.foreground, line.background)
    end
end

return {
    parse = parse,
    load = load_image,
    draw = draw,
}
