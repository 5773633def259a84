-- cc.internal.buffer: a rectangle of characters with two colours each. It knows nothing of
-- cursors and parents: those are the window's.
--
-- A buffer has three planes: the characters, the digits of their colours (the ink) and those
-- of the colours behind them (the paper). A plane is a list of strings, one for each row.

local sub, rep, floor = string.sub, string.rep, math.floor

---@class Buffer
---@field columns number whole, from 0
---@field rows number whole, from 0
---@field text string[]
---@field ink string[]
---@field paper string[]
---@field plain table<string, string> a row of one character, by that character
local Buffer = {}
Buffer.__index = Buffer

--- Rows of one character are needed again and again, to clear and to compare with.
local function plain_rows(columns)
    return setmetatable({}, {
        __index = function(known, character)
            local row = rep(character, columns)
            known[character] = row
            return row
        end,
    })
end

--- Puts a piece into a row of a plane.
local function lay(plane, row, first, last, columns, piece)
    if first == 1 and last == columns then
        plane[row] = piece
        return
    end
    local old = plane[row]
    plane[row] = sub(old, 1, first - 1) .. piece .. sub(old, last + 1)
end

--- Puts digits into a row of colours. One digit stands for all, and most of the time the row
--- has no other.
local function lay_colour(self, plane, row, first, last, digits)
    if #digits == 1 then
        if plane[row] == self.plain[digits] then return end
        digits = rep(digits, last - first + 1)
    end
    lay(plane, row, first, last, self.columns, digits)
end

--- Writes text, of which only what is inside stays.
---@param column number
---@param row number
---@param text string
---@param ink string a digit, or one for each character
---@param paper string a digit, or one for each character
---@return boolean changed whether any of it is inside
function Buffer:put(column, row, text, ink, paper)
    local first, last, columns = column, column + #text - 1, self.columns
    -- A place that is no number is outside, so the question is what is inside.
    if not (row >= 1 and row <= self.rows and last >= 1 and first <= columns and last >= first) then return false end
    if first < 1 or last > columns then
        if first < 1 then first = 1 end
        if last > columns then last = columns end
        local from, to = first - column + 1, last - column + 1
        if #ink > 1 then ink = sub(ink, from, to) end
        if #paper > 1 then paper = sub(paper, from, to) end
        text = sub(text, from, to)
    end
    lay_colour(self, self.ink, row, first, last, ink)
    lay_colour(self, self.paper, row, first, last, paper)
    lay(self.text, row, first, last, columns, text)
    return true
end

--- Empties rows.
---@param first number
---@param last number
---@param ink string
---@param paper string
function Buffer:blank(first, last, ink, paper)
    local text, inks, papers = self.text, self.ink, self.paper
    local spaces, ink_row, paper_row = self.plain[" "], self.plain[ink], self.plain[paper]
    for row = first, last do
        text[row], inks[row], papers[row] = spaces, ink_row, paper_row
    end
end

--- Moves all rows up, or down by a negative number; rows that come in are empty.
---@param count number
---@param ink string
---@param paper string
function Buffer:shift(count, ink, paper)
    local rows = self.rows
    if count % 1 ~= 0 or count >= rows or count <= -rows then return self:blank(1, rows, ink, paper) end
    local text, inks, papers = self.text, self.ink, self.paper
    -- Rows that are still needed are not written over.
    local first, last, step = 1, rows - count, 1
    if count < 0 then
        first, last, step = rows, 1 - count, -1
    end
    for row = first, last, step do
        local from = row + count
        text[row], inks[row], papers[row] = text[from], inks[from], papers[from]
    end
    if count > 0 then
        self:blank(rows - count + 1, rows, ink, paper)
    else
        self:blank(1, -count, ink, paper)
    end
end

--- Changes the size; what is inside of both sizes stays.
---@param width number
---@param height number
---@param ink string
---@param paper string
function Buffer:resize(width, height, ink, paper)
    local had, columns, rows = self.columns, floor(width), floor(height)
    if columns < 0 then columns = 0 end
    self.columns, self.rows, self.plain = columns, rows, plain_rows(columns)
    local fillers = { text = " ", ink = ink, paper = paper }
    for name, filler in pairs(fillers) do
        local plane, whole = self[name], self.plain[filler]
        for row = 1, rows do
            local old = plane[row]
            plane[row] = old and sub(old, 1, columns) .. sub(whole, had + 1) or whole
        end
        for row = rows + 1, #plane do plane[row] = nil end
    end
end

--- Makes an empty buffer.
---@param width number
---@param height number
---@param ink string
---@param paper string
---@return Buffer
return function(width, height, ink, paper)
    local self = setmetatable({ columns = 0, rows = 0, text = {}, ink = {}, paper = {} }, Buffer)
    self:resize(width, height, ink, paper)
    return self
end
