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
local Buffer = {}
Buffer.__index = Buffer

local sub, rep = string.sub, string.rep

--- Makes a row without text.
function Buffer:blank_row()
    local width = self.width
    return { rep(" ", width), rep(self.ink, width), rep(self.paper, width) }
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
    local blank, rows = self:blank_row(), self.rows
    for y = 1, self.height do
        local row = rows[y]
        if row then
            row[1], row[2], row[3] = blank[1], blank[2], blank[3]
        else
            rows[y] = { blank[1], blank[2], blank[3] }
        end
    end
end

--- Moves all rows up, or down if the count is negative.
---@param count number
function Buffer:scroll(count)
    local moved, rows = {}, self.rows
    for y = 1, self.height do moved[y] = rows[y + count] or self:blank_row() end
    self.rows = moved
end

--- Changes the size; what fits stays where it is.
---@param width number
---@param height number
function Buffer:resize(width, height)
    local old_width, old_rows = self.width, self.rows
    self.width, self.height, self.rows = width, height, {}
    for y = 1, height do
        local row, old = self:blank_row(), old_rows[y]
        for part = 1, old and 3 or 0 do
            row[part] = sub(old[part], 1, width) .. sub(row[part], old_width + 1)
        end
        self.rows[y] = row
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
    }, Buffer)
    buffer:clear()
    return buffer
end
