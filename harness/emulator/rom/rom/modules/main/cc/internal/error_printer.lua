-- cc.internal.error_printer: shows a report of several parts: texts, and places in a
-- source with what is wrong there.

local include = type((...)) == "function" and (...) or dofile
local checks = include("rom/modules/main/cc/expect.lua")
local report = require and require("cc.internal.error_report")
    or include("rom/modules/main/cc/internal/error_report.lua")

-- Each place is marked in another colour.
local marks = { colors.red, colors.green, colors.magenta, colors.orange }

--- Shows a place. A mark that goes on in a later line ends with its first one.
local function show_place(context, place, colour)
    local row, first = context.get_pos(place.start_pos)
    local last_row, last = context.get_pos(place.end_pos)
    local line = context.get_line(place.start_pos)
    report.show_line(row, line, first, last_row == row and last or #line, place.msg, colour)
end

--- Prints a report.
---@param context table `get_pos` and `get_line` of positions in the source
---@param message table its parts
return function(context, message)
    checks.expect(1, context, "table")
    checks.expect(2, message, "table")
    for _, method in ipairs({ "get_pos", "get_line" }) do checks.field(context, method, "function") end
    if #message == 0 then error("Message is empty", 2) end

    local places = 0
    for index, part in ipairs(message) do
        if index > 1 then print() end
        local is_place = type(part) == "table" and part.tag == "annotate"
        if is_place then
            show_place(context, part, marks[places % #marks + 1])
            places = places + 1
        else
            report.write_message(part)
        end
    end
end
