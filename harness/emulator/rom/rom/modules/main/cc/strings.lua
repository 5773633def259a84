-- cc.strings: wraps, pads and splits text.

local include = type((...)) == "function" and (...) or dofile
local checks = include("rom/modules/main/cc/expect.lua")
local expect, range = checks.expect, checks.range

local find, sub = string.find, string.sub

---@class Page a text that grows word by word
---@field width number
---@field row string the row that is being filled
local Page = {}
Page.__index = Page

--- Ends the row and begins another one.
function Page:break_row(next_row)
    table.insert(self, self.row)
    self.row = next_row
end

--- Adds white space; what does not fit any more is of no use to anybody.
function Page:add_space(space)
    self.row = (self.row .. space):sub(1, self.width)
end

--- Adds a word: to this row, or to the next one, or, if it is wider than the page, over
--- as many rows as it takes.
function Page:add_word(word)
    local room = self.width - #self.row
    if #word <= room then
        self.row = self.row .. word
    elseif #word <= self.width then
        self:break_row(word)
    else
        -- In the row that it begins on, the last column stays free.
        local head = math.max(room - 1, 0)
        self.row = self.row .. word:sub(1, head)
        local at = head + 1
        while at <= #word do
            self:break_row(word:sub(at, at + self.width - 1))
            at = at + self.width
        end
    end
end

--- Breaks text into rows of a width.
---@param text string
---@param width number|nil the terminal's
---@return string[]
local function wrap(text, width)
    expect(1, text, "string")
    expect(2, width, "number", "nil")
    local page = setmetatable({ width = width or term.getSize(), row = "" }, Page)
    range(page.width, 1)

    for space, word, line_end in text:gmatch("([ \t]*)([^ \t\n]*)(\n?)") do
        if space ~= "" then page:add_space(space) end
        if word ~= "" then page:add_word(word) end
        if line_end ~= "" then page:break_row("") end
    end
    page:break_row(nil)
    return { table.unpack(page) }
end

--- Cuts a line to a width, or fills it up with blanks.
---@param line string
---@param width number|nil the terminal's
---@return string
local function ensure_width(line, width)
    expect(1, line, "string")
    expect(2, width, "number", "nil")
    width = width or term.getSize()
    return line:sub(1, width) .. (" "):rep(width - #line)
end

--- Splits a text at a separator.
---@param str string
---@param deliminator string
---@param plain boolean|nil whether the separator is no pattern
---@param limit number|nil of parts
---@return string[]
local function split(str, deliminator, plain, limit)
    expect(1, str, "string")
    expect(2, deliminator, "string")
    expect(3, plain, "boolean", "nil")
    expect(4, limit, "number", "nil")

    local parts, count, rest = {}, 1, 1
    local most = limit or math.huge
    while count < most do
        local from, to = find(str, deliminator, rest, plain)
        if not from then break end
        if to < from then error("separator is empty", 2) end
        parts[count] = sub(str, rest, from - 1)
        count, rest = count + 1, to + 1
    end
    parts[count] = sub(str, rest)
    return parts
end

return { wrap = wrap, ensure_width = ensure_width, split = split }
