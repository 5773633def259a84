-- cc.internal.error_report: shows why a program did not load or failed, with the line
-- of its source.

local include = type((...)) == "function" and (...) or dofile

local report = {}

local BAR, MARKER = "\149", "\131"

-- A mark ends so far from the right edge if there is more of the line, and of a long
-- mark at least so much is seen. What is cut off is shown by arrows.
local RIGHT_MARGIN, SEEN_OF_MARK = 5, 5
local CUT_LEFT, CUT_RIGHT = "\171", "\187"
-- Nobody reads a note of more lines.
local MOST_NOTE_LINES = 64

--- Writes text in a colour.
local function write_in(colour, text)
    local before = term.getTextColour()
    if term.isColour() then term.setTextColour(colour) end
    term.write(text)
    term.setTextColour(before)
end

--- Writes marks in a colour, and on black whatever the screen's background is.
local function write_mark(colour, marks)
    local before = term.getBackgroundColour()
    term.setBackgroundColour(colors.black)
    write_in(colour, marks)
    term.setBackgroundColour(before)
end

--- Chooses the part of a line that is shown, so that a mark can be seen.
---@return number offset how many characters are cut off at the left
---@return number last the last character that is shown
---@return boolean whole whether nothing is cut off at the right
local function visible_part(line, first, last_marked)
    local room = term.getSize() - 1
    local marked = math.min(last_marked, first + SEEN_OF_MARK)
    local offset = math.max(math.min(marked - (room + 1 - RIGHT_MARGIN), #line - room), 0)
    local whole = #line <= offset + room
    return offset, offset + room, whole
end

--- Writes a text or a document of cc.pretty.
---@param message any
function report.write_message(message)
    if type(message) == "table" then
        -- A document is printed by the copy of the module that made it.
        local pretty = require and require("cc.pretty") or include("rom/modules/main/cc/pretty.lua")
        pretty.print(message)
    else
        print(message)
    end
end

--- Writes what stands below a mark, with a bar before each of its lines: as it would
--- look on a narrower screen.
local function write_note(note, bar_colour)
    local sheet = window.create(term.current(), 1, 1, term.getSize() - 1, MOST_NOTE_LINES, false)
    -- Also what nobody writes has the colour of the text.
    sheet.setTextColour(term.getTextColour())
    sheet.clear()
    local previous = term.redirect(sheet)
    local ok, problem = pcall(report.write_message, note)
    term.redirect(previous)
    if not ok then error(problem, 0) end

    local _, rows = sheet.getCursorPos()
    local unwritten = colors.toBlit(term.getTextColour())
    for row = 1, rows - 1 do
        local text, colour_digits = sheet.getLine(row)
        write_mark(bar_colour, BAR)
        -- Piece by piece, each of one colour; the blanks at the end that nobody wrote are not.
        local from = 1
        while from <= #text do
            local digit = colour_digits:sub(from, from)
            local after = colour_digits:find("[^" .. digit .. "]", from) or #text + 1
            local piece = text:sub(from, after - 1)
            if after > #text and digit == unwritten then piece = piece:gsub(" +$", "") end
            write_in(colors.fromBlit(digit), piece)
            from = after
        end
        write("\n")
    end
end

--- Shows a line of a source with a mark below it.
---@param number number
---@param line string
---@param first number the first column of the mark; 0 for a mark at the very left
---@param last number the last one
---@param note string|table what is written below the mark
---@param colour number of the mark
function report.show_line(number, line, first, last, note, colour)
    local offset, edge, whole = visible_part(line, first, last)
    write_in(colors.cyan, BAR .. "Line " .. number)
    write("\n")

    write_in(colors.cyan, BAR)
    local from, to = offset + 1, whole and edge or edge - 1
    if offset > 0 then
        write_in(colors.gray, CUT_LEFT)
        from = from + 1
    end
    write_in(colors.lightGray, line:sub(from, to))
    if not whole then write_in(colors.gray, CUT_RIGHT) end
    write("\n")

    local _, y = term.getCursorPos()
    write_in(colors.cyan, BAR)
    term.setCursorPos(first - offset + 1, y)
    write_mark(colour, MARKER:rep(math.min(last, to) - first + 1))
    write("\n")
    if note ~= "" then write_note(note, colour) end
end

--- Reads one line of a text or of a file.
---@param read fun(): string|nil gives the lines one after the other
local function nth_line(read, number)
    for _ = 1, number - 1 do
        if not read() then return nil end
    end
    return read()
end

--- Finds where an error came from: the function that ran at the line that its message
--- names. Messages name long paths only in part; the function knows the whole.
---@param thread thread
---@return string|nil source
---@return number|nil line
local function origin(message, thread)
    local place, line = message:match("^([^:\n]+):(%d+):")
    if not place then return nil end
    line = tonumber(line)
    local level = 0
    while true do
        local frame = debug.getinfo(thread, level, "Sl")
        if not frame then return nil end
        if frame.short_src == place and frame.currentline == line then return frame.source, line end
        level = level + 1
    end
end

--- Shows the line that an error came from.
---@param message any
---@param thread thread
---@param sources table<string, string>|nil texts by the names of their chunks
function report.show_context(message, thread, sources)
    if type(message) ~= "string" then return end
    local source, number = origin(message, thread)
    if not source then return end

    local line
    local file = source:match("^@(.*)")
    if sources and sources[source] then
        line = nth_line((sources[source] .. "\n"):gmatch("([^\n]*)\n"), number)
    elseif file and fs.exists(file) and not fs.isDir(file) then
        local handle = fs.open(file, "r")
        if handle then
            line = nth_line(handle.readLine, number)
            handle.close()
        end
    end
    -- A message of Lua names no column.
    if line and line:find("%S") then report.show_line(number, line, 0, 0, "", colors.red) end
end

--- Shows why a program did not load.
---@param source string
---@param message string
function report.syntax(source, message)
    -- As on the reference, the end of a file of one line is on the next.
    if not source:find("\n") then source = source .. "\n" end
    local ok, explained = pcall(function()
        return include("rom/modules/main/cc/internal/syntax/init.lua").parse_program(source) == false
    end)
    if not ok or not explained then printError(message) end
end

--- Shows why a program failed.
---@param problem any
---@param thread thread
function report.failure(problem, thread)
    if problem == nil or problem == "" then return end
    printError(problem)
    report.show_context(problem, thread)
end

return report
