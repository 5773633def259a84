-- cc.internal.error_printer: shows a message about a source text: lines of text and
-- marked places.

local report = dofile("rom/modules/main/cc/internal/error_report.lua")

--- Shows a message.
---@param context { get_pos: function, get_line: function }
---@param message table strings and tables { tag = "annotate", start_pos, end_pos, msg }
return function(context, message)
    for _, part in ipairs(message) do
        if type(part) == "table" and part.tag == "annotate" then
            local line, column = context.get_pos(part.start_pos)
            local end_line, end_column = context.get_pos(part.end_pos)
            local text = context.get_line(part.start_pos)
            if line ~= end_line then end_column = #text end
            report.show_line(line, text, column, end_column - column + 1, part.msg)
        elseif tostring(part) ~= "" then
            printError(tostring(part))
        else
            print()
        end
    end
end
