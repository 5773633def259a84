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

--- Writes text in a colour where there are colours.
local function write_in(colour, text)
    local old
    if term.isColour() then
        old = term.getTextColour()
        term.setTextColour(colour)
    end
    write(text)
    if old then term.setTextColour(old) end
end

--- Shows a line of a source with a mark below it.
---@param number number
---@param line string
---@param column number
---@param width number|nil of the mark
---@param note string|nil
function report.show_line(number, line, column, width, note)
    local screen_width = term.getSize()
    -- A long line is shown from where the mark can be seen.
    local from = 1
    if column > screen_width - 2 then from = column - math.floor(screen_width / 2) end
    local shown = line:gsub("\t", " "):sub(from, from + screen_width - 2)

    write_in(colors.lightBlue, BAR)
    write_in(colors.lightGray, "Line " .. number .. "\n")
    write_in(colors.lightBlue, BAR)
    term.write(shown)
    write("\n")
    write_in(colors.lightBlue, BAR)
    term.write((" "):rep(column - from))
    local mark = width and width > 1 and MARKER:rep(width) or MARKER
    local old = term.getTextColour()
    if term.isColour() then term.setTextColour(colors.lightBlue) end
    term.write(mark)
    term.setTextColour(old)
    if note and note ~= "" then
        term.write(" ")
        write_in(colors.lightBlue, note)
    end
    write("\n")
end

--- Shows the line that a message begins with, when it is in a file.
function report.show_context(message)
    local path, number = message:match("^(/?[^:\n]+):(%d+): ")
    if not path or path:sub(1, 1) ~= "/" or not fs.exists(path) or fs.isDir(path) then return end
    if path:sub(1, 5) == "/rom/" then return end
    number = tonumber(number)
    local line = source_line(path, number)
    if not line or not line:find("%S") then return end
    report.show_line(number, line, (line:find("%S")))
end

--- Shows why a program did not load.
---@param source string
---@param message string
function report.syntax(source, message)
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
