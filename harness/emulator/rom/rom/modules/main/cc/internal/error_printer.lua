-- cc.internal.error_printer: shows a message about a source text: lines of text and
-- marked places, with blank lines between them.

local include = type((...)) == "function" and (...) or dofile
local report = include("rom/modules/main/cc/internal/error_report.lua")

-- The first place that is marked is the culprit.
local FIRST_COLOUR, OTHER_COLOUR = colors.red, colors.green

--- Shows a message.
---@param context { get_pos: function, get_line: function }
---@param message table strings, documents and tables { tag = "annotate", start_pos, end_pos, msg }
return function(context, message)
    local colour = FIRST_COLOUR
    for index, part in ipairs(message) do
        if index > 1 then print() end
        if type(part) == "table" and part.tag == "annotate" then
            local line, column = context.get_pos(part.start_pos)
            local end_line, end_column = context.get_pos(part.end_pos)
            local text = context.get_line(part.start_pos)
            if line ~= end_line then end_column = #text end
            report.show_line(line, text, column, end_column - column + 1, part.msg, colour)
            colour = OTHER_COLOUR
        else
            report.write_message(part)
            print()
        end
    end
end
