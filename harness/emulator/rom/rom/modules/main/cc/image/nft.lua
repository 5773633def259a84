-- cc.image.nft: images of coloured text. In the file two characters choose colours, each
-- followed by a digit; everything else is text.

local expect = require("cc.expect").expect

local FIRST_FOREGROUND, FIRST_BACKGROUND = "0", "f"

---@class NftLine
---@field text string
---@field foreground string digits
---@field background string digits

---@class NftReader
---@field lines NftLine[]
---@field line NftLine the one that is being read
---@field ink string
---@field paper string
local Reader = {}
Reader.__index = Reader

function Reader:begin_line()
    self.line = { text = "", foreground = "", background = "" }
    self.ink, self.paper = FIRST_FOREGROUND, FIRST_BACKGROUND
end

function Reader:add(text)
    local line = self.line
    line.text = line.text .. text
    line.foreground = line.foreground .. self.ink:rep(#text)
    line.background = line.background .. self.paper:rep(#text)
end

-- What the characters do that are no text; the rest of the image is given to them, and
-- they return how much of it they have used.
local commands = {
    ["\n"] = function(reader)
        table.insert(reader.lines, reader.line)
        reader:begin_line()
        return 0
    end,
    ["\30"] = function(reader, digit)
        reader.paper = digit
        return 1
    end,
    ["\31"] = function(reader, digit)
        reader.ink = digit
        return 1
    end,
}

--- Reads an image.
---@param image string
---@return NftLine[]
local function parse(image)
    expect(1, image, "string")
    local reader = setmetatable({ lines = {} }, Reader)
    reader:begin_line()
    local position = 1
    repeat
        local text, command, after = image:match("^([^\n\30\31]*)(.?)()", position)
        reader:add(text)
        if command ~= "" then after = after + commands[command](reader, image:sub(after, after)) end
        position = after
    until position > #image
    -- What ends without a new line is a line if there is anything on it.
    if reader.line.text ~= "" then table.insert(reader.lines, reader.line) end
    return reader.lines
end

--- Reads an image from a file.
---@param path string
---@return NftLine[]|nil
---@return string|nil problem
local function load(path)
    expect(1, path, "string")
    local file, problem = io.open(path, "r")
    local image = file and file:read("*a")
    if file then file:close() end
    return image and parse(image), problem
end

--- Draws an image.
---@param image NftLine[]
---@param xPos number
---@param yPos number
---@param target table|nil the current terminal
local function draw(image, xPos, yPos, target)
    expect(1, image, "table")
    expect(2, xPos, "number")
    expect(3, yPos, "number")
    expect(4, target, "table", "nil")
    target = target or term
    for row, line in ipairs(image) do
        target.setCursorPos(xPos, yPos + row - 1)
        target.blit(line.text, line.foreground, line.background)
    end
end

return { draw = draw, load = load, parse = parse }
