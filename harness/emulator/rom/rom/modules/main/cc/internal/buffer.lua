-- cc.internal.buffer: what stands on a window: rows of text, each with the digits of its
-- text colours and of its backgrounds, and a cursor. It draws nothing.

---@class Row
---@field [1] string text
---@field [2] string digits of the text colours
---@field [3] string digits of the backgrounds

---@class Buffer
---@field width number
---@field height number
---@field x number of the cursor, which may be outside
---@field y number
---@field ink string the digit of the text colour
---@field paper string the digit of the background
---@field rows Row[]
---@field runs table<string, string> a character to as many of it as fill a row
local Buffer = {}
Buffer.__index = Buffer

local sub, rep = string.sub, string.rep

--- Fills a row with one character. Rows are cleared often, with few characters.
local function filled(buffer, character)
    local run = buffer.runs[character]
    if not run then
        run = rep(character, buffer.width)
        buffer.runs[character] = run
    end
    return run
end

--- Returns what a row without text consists of.
function Buffer:blank()
    return filled(self, " "), filled(self, self.ink), filled(self, self.paper)
end

--- Removes the text of the cursor's row; says whether there is such a row.
---@return boolean
function Buffer:clear_row()
    local row = self.rows[self.y]
    if not row then return false end
    row[1], row[2], row[3] = self:blank()
    return true
end

--- Puts a piece into a text, in the place of what is there. Both are of the same kind.
local function spliced(text, piece, first, last)
    return sub(text, 1, first - 1) .. piece .. sub(text, last + 1)
end

--- Puts text with colours at the cursor, and moves the cursor behind it.
---@param text string
---@param inks string
---@param papers string
---@return boolean changed whether any of it can be seen
function Buffer:put(text, inks, papers)
    local first, last = self.x, self.x + #text - 1
    self.x = last + 1
    local row, width = self.rows[self.y], self.width
    if not row or last < first or first > width or last < 1 then return false end

    if first < 1 or last > width then
        -- Only the part that lies on the row.
        local from, to = first < 1 and 2 - first or 1, last > width and width - first + 1 or -1
        text, inks, papers = sub(text, from, to), sub(inks, from, to), sub(papers, from, to)
        first = first < 1 and 1 or first
        last = last > width and width or last
    end
    if first == 1 and last == width then
        row[1], row[2], row[3] = text, inks, papers
    else
        row[1] = spliced(row[1], text, first, last)
        row[2] = spliced(row[2], inks, first, last)
        row[3] = spliced(row[3], papers, first, last)
    end
    return true
end

--- Removes all text.
function Buffer:clear()
    local rows, text, inks, papers = self.rows, self:blank()
    for y = 1, self.height do
        local row = rows[y]
        if row then
            row[1], row[2], row[3] = text, inks, papers
        else
            rows[y] = { text, inks, papers }
        end
    end
end

--- Moves all rows up, or down if the count is negative.
---@param count number
function Buffer:scroll(count)
    local moved, rows, text, inks, papers = {}, self.rows, self:blank()
    for y = 1, self.height do moved[y] = rows[y + count] or { text, inks, papers } end
    self.rows = moved
end

--- Cuts a text to the length of a blank one, or fills it up from that.
local function refit(text, blank, old_width)
    local width = #blank
    if width <= old_width then return sub(text, 1, width) end
    return text .. sub(blank, old_width + 1)
end

--- Changes the size; what fits stays where it is.
---@param width number
---@param height number
function Buffer:resize(width, height)
    local old_width, old_rows = self.width, self.rows
    self.width, self.height, self.runs = width, height, {}
    local rows, text, inks, papers = {}, self:blank()
    self.rows = rows
    for y = 1, height do
        local old = old_rows[y]
        if not old then
            rows[y] = { text, inks, papers }
        elseif width == old_width then
            rows[y] = old
        else
            rows[y] = { refit(old[1], text, old_width), refit(old[2], inks, old_width), refit(old[3], papers, old_width) }
        end
    end
end

--- Makes an empty buffer.
---@return Buffer
return function(width, height, ink, paper)
    local buffer = setmetatable({
        width = width,
        height = height,
        x = 1,
        y = 1,
        ink = ink,
        paper = paper,
        rows = {},
        runs = {},
    }, Buffer)
    buffer:clear()
    return buffer
end
