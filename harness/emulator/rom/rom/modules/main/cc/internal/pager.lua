-- cc.internal.pager: prints in pages and in columns, for textutils.

local PROMPT = "Press any key to continue"

--- Asks for a key at the bottom of a terminal, then takes the question away.
local function wait_for_key(terminal, height)
    local x, y = terminal.getCursorPos()
    terminal.setCursorPos(1, height)
    terminal.write(PROMPT)
    os.pullEvent("key")
    terminal.clearLine()
    terminal.setCursorPos(x, y)
end

--- Runs a function with a terminal that stops at the bottom of each page.
---@param free_lines number lines that may scroll before the first stop
---@param body function
local function paged(free_lines, body)
    local current = term.current()
    local _, height = term.getSize()
    local pager = {}
    for name, method in pairs(current) do pager[name] = method end

    local free = free_lines
    pager.scroll = function(count)
        for _ = 1, count do
            current.scroll(1)
            if free > 0 then
                free = free - 1
            else
                wait_for_key(current, height)
            end
        end
    end

    term.redirect(pager)
    local results = table.pack(pcall(body))
    term.redirect(current)
    if not results[1] then error(results[2], 0) end
    return table.unpack(results, 2, results.n)
end

--- Prints text in pages.
---@return number lines
local function paged_print(text, free_lines)
    return paged(free_lines, function() return print(text) end)
end

-- Columns are at least this share of the screen wide.
local MOST_COLUMNS = 8

--- Checks the arguments of tabulate and finds how wide a column must be.
local function column_width(arguments)
    local width = term.getSize() / MOST_COLUMNS
    for index = 1, arguments.n do
        local row = arguments[index]
        if type(row) == "table" then
            for cell_index, cell in pairs(row) do
                if type(cell) ~= "string" and type(cell) ~= "number" then
                    error(("bad argument #%d.%s (string expected, got %s)")
                        :format(index, tostring(cell_index), type(cell)), 4)
                end
                local needed = #tostring(cell) + 1
                if needed > width then width = needed end
            end
        elseif type(row) ~= "number" then
            error(("bad argument #%d (number or table expected, got %s)"):format(index, type(row)), 3)
        end
    end
    return width
end

--- Makes a function that ends a line and stops at the bottom of each page.
local function paged_new_line()
    local _, height = term.getSize()
    local _, start_y = term.getCursorPos()
    -- What stands above the table may scroll away, but for two lines of it.
    local free = start_y - 3
    return function()
        local _, y = term.getCursorPos()
        print()
        if y < height then return end
        if free > 0 then
            free = free - 1
        else
            wait_for_key(term, height)
        end
    end
end

--- Prints rows in columns of one width.
---@param arguments table
---@param width number
---@param new_line function ends a line within a row
local function print_table(arguments, width, new_line)
    local columns = math.floor(term.getSize() / width)

    local function print_row(row)
        local column = 0
        local _, y = term.getCursorPos()
        for _, cell in ipairs(row) do
            if column >= columns then
                new_line()
                column = 0
                _, y = term.getCursorPos()
            end
            term.setCursorPos(1 + column * width, y)
            term.write(tostring(cell))
            column = column + 1
        end
        print()
    end

    local colour = term.getTextColour()
    for index = 1, arguments.n do
        local row = arguments[index]
        if type(row) == "number" then
            term.setTextColour(row)
        elseif #row > 0 then
            print_row(row)
        end
    end
    term.setTextColour(colour)
end

--- Prints rows as a table.
---@param in_pages boolean
---@param ... table|number
local function tabulate(in_pages, ...)
    local arguments = table.pack(...)
    local width = column_width(arguments)
    print_table(arguments, width, in_pages and paged_new_line() or print)
end

return {
    print = paged_print,
    tabulate = tabulate,
}
