-- cc.internal.error_report: shows why a program did not load or failed, with the line
-- of its source.

local report = {}

local BAR, MARKER = "\149", "\131"

--- Reads one line of a file.
---@return string|nil
local function source_line(path, number)
    local handle = fs.open(path, "r")
    if not handle then return nil end
    local line
    for _ = 1, number do
        line = handle.readLine()
        if line == nil then break end
    end
    handle.close()
    return line
end

-- How far from the right edge a marked column stays, and what stands for text that
-- is cut off.
local RIGHT_MARGIN = 5
local CUT_LEFT, CUT_RIGHT = "\171", "\187"

--- Writes text in a colour.
local function write_in(colour, text)
    local old = term.getTextColour()
    if term.isColour() then term.setTextColour(colour) end
    term.write(text)
    term.setTextColour(old)
end

--- Shows a line of a source, cut to the screen.
---@return number offset how many characters are cut off at the left
local function write_source(line, column)
    local room = term.getSize() - 1
    local offset = 0
    if column > room + 1 - RIGHT_MARGIN then
        offset = math.max(math.min(column - (room + 1 - RIGHT_MARGIN), #line - room), 0)
    end
    local shown = line:sub(offset + 1, offset + room)
    local cut_right = #line > offset + room
    if offset > 0 then
        write_in(colors.gray, CUT_LEFT)
        shown = shown:sub(2)
    end
    write_in(colors.lightGray, cut_right and shown:sub(1, -2) or shown)
    if cut_right then write_in(colors.gray, CUT_RIGHT) end
    return offset
end

--- Writes a message: text, or a document of cc.pretty whose pieces have colours.
---@param message string|table
function report.write_message(message)
    if type(message) == "string" or not message.n then
        write(tostring(message))
        return
    end
    local colour = term.getTextColour()
    for index = 1, message.n do
        local piece = message[index]
        if piece.colour and term.isColour() then term.setTextColour(piece.colour) end
        write(piece.text)
        term.setTextColour(colour)
    end
end

--- Writes what stands below a mark, with a bar before each of its lines.
local function write_note(note, bar_colour)
    -- The colour of each character, so that the lines can be cut first.
    local text, colours = tostring(note), {}
    if type(note) == "table" and note.n then
        local position = 0
        for index = 1, note.n do
            for offset = 1, #note[index].text do colours[position + offset] = note[index].colour end
            position = position + #note[index].text
        end
    end

    local strings = dofile("rom/modules/main/cc/strings.lua")
    local position = 1
    for _, line in ipairs(strings.wrap(text, term.getSize() - 1)) do
        local first = text:find(line, position, true) or position
        position = first + #line
        write_in(bar_colour, BAR)
        for offset = 0, #line - 1 do
            write_in(colours[first + offset] or term.getTextColour(), line:sub(offset + 1, offset + 1))
        end
        write("\n")
    end
end

--- Shows a line of a source with a mark below it.
---@param number number
---@param line string
---@param column number 0 for a mark at the very left
---@param width number of the mark; 0 for none
---@param note string|table what is written below the mark
---@param colour number of the mark
function report.show_line(number, line, column, width, note, colour)
    write_in(colors.cyan, BAR .. "Line " .. number)
    write("\n")
    write_in(colors.cyan, BAR)
    local offset = write_source(line, column + math.max(width, 1) - 1)
    write("\n")

    local _, y = term.getCursorPos()
    write_in(colors.cyan, BAR)
    term.setCursorPos(column - offset + 1, y)
    write_in(colour, MARKER:rep(width))
    write("\n")
    if note ~= "" then write_note(note, colour) end
end

--- Shows the line that a message begins with, when it is in a file.
function report.show_context(message)
    local path, number = message:match("^(/?[^:\n]+):(%d+): ")
    if not path or path:sub(1, 1) ~= "/" or not fs.exists(path) or fs.isDir(path) then return end
    number = tonumber(number)
    local line = source_line(path, number)
    if not line or not line:find("%S") then return end
    -- A message of Lua names no column.
    report.show_line(number, line, 0, 1, "", colors.red)
end

--- Shows why a program did not load.
---@param source string
---@param message string
function report.syntax(source, message)
    -- As on the reference, the end of a file of one line is on the next.
    if not source:find("\n") then source = source .. "\n" end
    local ok, explained = pcall(function()
        return dofile("rom/modules/main/cc/internal/syntax/init.lua").parse_program(source) == false
    end)
    if not ok or not explained then printError(message) end
end

--- Shows why a program failed.
---@param problem any
function report.failure(problem)
    if problem == nil or problem == "" then return end
    printError(problem)
    if type(problem) == "string" then report.show_context(problem) end
end

return report
