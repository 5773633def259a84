-- cc.internal.line_reader: a line that the user edits, for `read`: history,
-- completion, the mouse, and the usual keys.

---@class LineEditor
---@field text string
---@field at number how many characters stand before the cursor
---@field hidden number how many characters are off the left edge
---@field left number the column where the line begins
---@field width number of the terminal
---@field mask string|nil what is shown in place of each character
---@field history string[]|nil
---@field recalled number|nil the line of the history that is shown
---@field complete function|nil
---@field endings string[]|nil what could complete the line
---@field chosen number|nil which of the endings is shown
local LineEditor = {}
LineEditor.__index = LineEditor

-- Drawing ----------------------------------------------------------------

--- Moves what is seen of the line so that the cursor is in it.
function LineEditor:follow_cursor()
    local rightmost = self.left + self.at - self.width
    if rightmost >= self.hidden then
        self.hidden = rightmost
    elseif self.at < self.hidden then
        self.hidden = self.at
    end
end

--- Writes what could complete the line in the colours of a suggestion.
local function write_suggestion(text)
    local ink, paper = term.getTextColor(), term.getBackgroundColor()
    term.setTextColor(colors.white)
    term.setBackgroundColor(colors.gray)
    term.write(text)
    term.setTextColor(ink)
    term.setBackgroundColor(paper)
end

--- Draws the line and puts the cursor into it. With `cover` that stands in place of every
--- character, also of the suggestion.
---@param cover string|nil
function LineEditor:draw(cover)
    self:follow_cursor()
    local _, y = term.getCursorPos()
    local shown = cover or self.mask

    term.setCursorPos(self.left, y)
    local seen = self.hidden > 0 and self.text:sub(self.hidden + 1) or self.text
    term.write(shown and shown:rep(#seen) or seen)
    local ending = self.endings and self:suggestion()
    if ending and cover then
        term.write(cover:rep(#ending))
    elseif ending then
        write_suggestion(shown and shown:rep(#ending) or ending)
    end
    term.setCursorPos(self.left + self.at - self.hidden, y)
end

--- Draws blanks where the line is, changes it, and draws it again.
---@param change fun()
function LineEditor:redraw_after(change)
    self:draw(" ")
    change()
    self:draw()
end

-- Suggestions ------------------------------------------------------------

function LineEditor:suggestion()
    return self.endings and self.endings[self.chosen]
end

function LineEditor:forget_suggestions()
    self.endings, self.chosen = nil, nil
end

--- Asks what could complete the line; only at its end something can.
function LineEditor:ask_for_suggestions()
    self:forget_suggestions()
    local endings = self.complete and self.at == #self.text and self.complete(self.text)
    if endings and endings[1] then self.endings, self.chosen = endings, 1 end
end

--- Goes to another suggestion, around the end of the list.
function LineEditor:choose(step)
    self:redraw_after(function() self.chosen = (self.chosen + step - 1) % #self.endings + 1 end)
end

-- Changes ----------------------------------------------------------------

--- Changes the line and where the cursor is in it, and maybe what is seen of it.
function LineEditor:set(text, at, hidden)
    self:draw(" ")
    self.text, self.at, self.hidden = text, at, hidden or self.hidden
    if self.complete then self:ask_for_suggestions() end
    self:draw()
end

function LineEditor:insert(text)
    self:set(self.text:sub(1, self.at) .. text .. self.text:sub(self.at + 1), self.at + #text)
end

function LineEditor:go_to(at)
    self:set(self.text, at)
end

function LineEditor:accept_suggestion()
    local whole = self.text .. self:suggestion()
    self:set(whole, #whole)
end

--- Takes characters out, from one to another.
function LineEditor:cut(from, to, hidden)
    self:set(self.text:sub(1, from - 1) .. self.text:sub(to + 1), from - 1, hidden)
end

--- Shows an older or a newer line of the history; after the newest there is an empty one.
function LineEditor:recall(step)
    local history = self.history
    if not history then return end
    self:redraw_after(function()
        local index = (self.recalled or #history + 1) + step
        self.recalled = index <= #history and math.max(index, 1) or nil
        if #history == 0 then self.recalled = nil end
        self.text = self.recalled and history[self.recalled] or ""
        self.at, self.hidden = #self.text, 0
        self:forget_suggestions()
    end)
end

-- What keys do. Those that have nothing to do draw nothing.
local on_key = {
    [keys.left] = function(editor)
        if editor.at > 0 then editor:go_to(editor.at - 1) end
    end,
    [keys.right] = function(editor)
        if editor.at < #editor.text then
            editor:go_to(editor.at + 1)
        elseif editor.endings then
            editor:accept_suggestion()
        end
    end,
    [keys.up] = function(editor)
        if editor.endings then editor:choose(-1) else editor:recall(-1) end
    end,
    [keys.down] = function(editor)
        if editor.endings then editor:choose(1) else editor:recall(1) end
    end,
    [keys.home] = function(editor)
        if editor.at > 0 then editor:go_to(0) end
    end,
    [keys["end"]] = function(editor)
        if editor.at < #editor.text then editor:go_to(#editor.text) end
    end,
    [keys.tab] = function(editor)
        if editor.endings then editor:accept_suggestion() end
    end,
    [keys.backspace] = function(editor)
        if editor.at == 0 then return end
        -- What is seen moves along, so that the cursor stays in its column.
        editor:cut(editor.at, editor.at, math.max(editor.hidden - 1, 0))
    end,
    [keys.delete] = function(editor)
        if editor.at < #editor.text then editor:cut(editor.at + 1, editor.at + 1) end
    end,
}

-- What other events do.
local on_event = {
    char = LineEditor.insert,
    paste = LineEditor.insert,
    key = function(editor, key)
        if on_key[key] then on_key[key](editor) end
    end,
    mouse_click = function(editor, _, x, y)
        local _, row = term.getCursorPos()
        if y ~= row or x < editor.left then return end
        editor.at = math.min(math.max(editor.hidden + x - editor.left, 0), #editor.text)
        editor:draw()
    end,
    term_resize = function(editor)
        editor.width = term.getSize()
        editor:draw()
    end,
}

function on_event.mouse_drag(editor, button, x, y)
    if button == 1 then on_event.mouse_click(editor, button, x, y) end
end

local ends_line = { [keys.enter] = true, [keys.numPadEnter] = true }

--- Lets the user edit a line, from the cursor on, until Enter is pressed.
---@param replace_char string|nil
---@param history string[]|nil
---@param complete function|nil
---@param default string|nil
---@return string
return function(replace_char, history, complete, default)
    local text = type(default) == "string" and default or ""
    local editor = setmetatable({
        text = text,
        at = #text,
        hidden = 0,
        left = term.getCursorPos(),
        width = term.getSize(),
        mask = replace_char and replace_char:sub(1, 1),
        history = history,
        complete = complete,
    }, LineEditor)
    term.setCursorBlink(true)
    editor:ask_for_suggestions()
    editor:draw()

    local event
    repeat
        event = table.pack(os.pullEvent())
        local done = event[1] == "key" and ends_line[event[2]]
        local handle = not done and on_event[event[1]]
        if handle then handle(editor, table.unpack(event, 2, event.n)) end
    until done

    if editor.endings then editor:redraw_after(function() editor:forget_suggestions() end) end
    local _, y = term.getCursorPos()
    term.setCursorBlink(false)
    term.setCursorPos(editor.width + 1, y)
    print()
    return editor.text
end
