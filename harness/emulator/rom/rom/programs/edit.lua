-- edit: an editor for text files. Ctrl opens the menu: save, run, exit.

local arguments = { ... }
if #arguments == 0 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <path>")
    return
end

local path = shell.resolve(arguments[1])
local read_only = fs.isReadOnly(path)
if fs.exists(path) and fs.isDir(path) then
    print("Cannot edit a directory.")
    return
end
if not fs.exists(path) and not path:find("%.") then
    local extension = settings.get("edit.default_extension")
    if extension and extension ~= "" then path = path .. "." .. extension end
end

local TAB_WIDTH = 4

local width, height = term.getSize()
local lines = {}
local cursor_x, cursor_y = 1, 1
local scroll_x, scroll_y = 0, 0
local running = true
local menu_open, menu_item = false, 1
local status = "Press Ctrl or click here to access menu"
if #status >= width - 5 then status = "Press Ctrl for menu" end

local highlight = {}
if term.isColour() then
    highlight = { comment = colors.green, string = colors.red, keyword = colors.yellow }
end
local keywords = require("cc.internal.keywords")

-- The file ---------------------------------------------------------------

local function load_file()
    lines = {}
    local handle = fs.exists(path) and fs.open(path, "r")
    if handle then
        for line in handle.readLine do lines[#lines + 1] = line end
        handle.close()
    end
    if #lines == 0 then lines[1] = "" end
end

---@return boolean ok
---@return string|nil message
local function save_file()
    local folder = fs.getDir(path)
    if not fs.exists(folder) then fs.makeDir(folder) end
    local handle, message = fs.open(path, "w")
    if not handle then return false, message end
    for _, line in ipairs(lines) do handle.write(line .. "\n") end
    handle.close()
    return true
end

-- Drawing ----------------------------------------------------------------

local function put(text, colour)
    if colour and term.isColour() then term.setTextColour(colour) end
    term.write(text)
    term.setTextColour(colors.white)
end

--- Writes a line in the colours of Lua.
local function put_highlighted(line)
    local position = 1
    while position <= #line do
        local piece = line:match("^%-%-.*", position)
        local colour = piece and highlight.comment
        if not piece then
            piece = line:match("^\"[^\"]*\"?", position) or line:match("^'[^']*'?", position)
            colour = piece and highlight.string
        end
        if not piece then
            piece = line:match("^[%a_][%w_]*", position)
            colour = piece and keywords[piece] and highlight.keyword
        end
        if not piece then
            piece = line:match("^[^%a_\"'%-]+", position) or line:sub(position, position)
            colour = nil
        end
        put(piece, colour or nil)
        position = position + #piece
    end
end

local function draw_line(y)
    local row = y - scroll_y
    if row < 1 or row >= height then return end
    term.setCursorPos(1 - scroll_x, row)
    term.clearLine()
    local line = lines[y]
    if line then put_highlighted(line) end
end

local menu_items = { "Exit" }
if not read_only then
    table.insert(menu_items, 1, "Save")
    if shell.openTab then table.insert(menu_items, 2, "Run") end
end

local function draw_menu()
    term.setCursorPos(1, height)
    term.clearLine()
    local number = tostring(cursor_y)
    term.setCursorPos(width - #number - 2, height)
    put("Ln ", colors.yellow)
    put(number)

    term.setCursorPos(1, height)
    if not menu_open then
        put(status, colors.yellow)
        return
    end
    for index, name in ipairs(menu_items) do
        if index == menu_item then
            put("[", colors.yellow)
            put(name)
            put("]", colors.yellow)
        else
            put(" " .. name .. " ")
        end
    end
end

local function place_cursor()
    term.setCursorPos(cursor_x - scroll_x, cursor_y - scroll_y)
    term.setCursorBlink(not menu_open)
end

local function draw_all()
    for row = 1, height - 1 do draw_line(row + scroll_y) end
    draw_menu()
    place_cursor()
end

--- Scrolls so that the cursor can be seen, and draws what changed.
local function update(whole)
    local old_x, old_y = scroll_x, scroll_y
    if cursor_x - scroll_x < 1 then
        scroll_x = cursor_x - 1
    elseif cursor_x - scroll_x > width then
        scroll_x = cursor_x - width
    end
    if cursor_y - scroll_y < 1 then
        scroll_y = cursor_y - 1
    elseif cursor_y - scroll_y > height - 1 then
        scroll_y = cursor_y - (height - 1)
    end
    if whole or old_x ~= scroll_x or old_y ~= scroll_y then
        draw_all()
    else
        draw_line(cursor_y)
        draw_menu()
        place_cursor()
    end
end

local function move_to(x, y)
    cursor_y = math.max(1, math.min(y, #lines))
    cursor_x = math.max(1, math.min(x, #lines[cursor_y] + 1))
    update()
end

-- Changing ---------------------------------------------------------------

local function insert(text)
    local line = lines[cursor_y]
    lines[cursor_y] = line:sub(1, cursor_x - 1) .. text .. line:sub(cursor_x)
    cursor_x = cursor_x + #text
    update()
end

local function break_line()
    local line = lines[cursor_y]
    local indent = line:match("^ *")
    if #indent >= cursor_x then indent = indent:sub(1, cursor_x - 1) end
    lines[cursor_y] = line:sub(1, cursor_x - 1)
    table.insert(lines, cursor_y + 1, indent .. line:sub(cursor_x))
    cursor_x, cursor_y = #indent + 1, cursor_y + 1
    update(true)
end

local function backspace()
    if cursor_x > 1 then
        local line = lines[cursor_y]
        -- An indentation goes as it came.
        local count = 1
        if cursor_x > TAB_WIDTH and line:sub(1, cursor_x - 1):match("^ +$") then count = TAB_WIDTH end
        lines[cursor_y] = line:sub(1, cursor_x - 1 - count) .. line:sub(cursor_x)
        cursor_x = cursor_x - count
            update()
    elseif cursor_y > 1 then
        cursor_x = #lines[cursor_y - 1] + 1
        lines[cursor_y - 1] = lines[cursor_y - 1] .. lines[cursor_y]
        table.remove(lines, cursor_y)
        cursor_y = cursor_y - 1
            update(true)
    end
end

local function delete()
    local line = lines[cursor_y]
    if cursor_x <= #line then
        lines[cursor_y] = line:sub(1, cursor_x - 1) .. line:sub(cursor_x + 1)
            update()
    elseif cursor_y < #lines then
        lines[cursor_y] = line .. lines[cursor_y + 1]
        table.remove(lines, cursor_y + 1)
            update(true)
    end
end

-- The menu ---------------------------------------------------------------

local menu_actions = {
    Save = function()
        local ok, message = save_file()
        status = ok and "Saved to " .. path or "Error saving: " .. tostring(message)
    end,
    Run = function()
        local ok, message = save_file()
        if not ok then
            status = "Error saving: " .. tostring(message)
            return
        end
        local tab = shell.openTab("/" .. path)
        if tab then shell.switchTab(tab) end
    end,
    Exit = function()
        running = false
    end,
}

local function choose(name)
    menu_open = false
    for _, item in ipairs(menu_items) do
        if item == name then menu_actions[name]() end
    end
end

local function menu_key(key)
    if key == keys.left then
        menu_item = menu_item > 1 and menu_item - 1 or #menu_items
    elseif key == keys.right then
        menu_item = menu_item < #menu_items and menu_item + 1 or 1
    elseif key == keys.enter or key == keys.numPadEnter then
        choose(menu_items[menu_item])
    elseif key == keys.leftCtrl or key == keys.rightCtrl then
        menu_open = false
    end
end

--- Opens the menu, or chooses what was clicked there.
local function click_menu(x)
    if not menu_open then
        menu_open = true
        return
    end
    local left = 1
    for _, name in ipairs(menu_items) do
        local right = left + #name + 1
        if x >= left and x <= right then return choose(name) end
        left = right + 1
    end
    menu_open = false
end

local edit_keys = {
    [keys.up] = function() move_to(cursor_x, cursor_y - 1) end,
    [keys.down] = function() move_to(cursor_x, cursor_y + 1) end,
    [keys.left] = function()
        if cursor_x > 1 then
            move_to(cursor_x - 1, cursor_y)
        elseif cursor_y > 1 then
            move_to(#lines[cursor_y - 1] + 1, cursor_y - 1)
        end
    end,
    [keys.right] = function()
        if cursor_x <= #lines[cursor_y] then
            move_to(cursor_x + 1, cursor_y)
        elseif cursor_y < #lines then
            move_to(1, cursor_y + 1)
        end
    end,
    [keys.home] = function() move_to(1, cursor_y) end,
    [keys["end"]] = function() move_to(#lines[cursor_y] + 1, cursor_y) end,
    [keys.pageUp] = function() move_to(cursor_x, cursor_y - (height - 1)) end,
    [keys.pageDown] = function() move_to(cursor_x, cursor_y + (height - 1)) end,
    [keys.tab] = function() if not read_only then insert((" "):rep(TAB_WIDTH)) end end,
    [keys.enter] = function() if not read_only then break_line() end end,
    [keys.numPadEnter] = function() if not read_only then break_line() end end,
    [keys.backspace] = function() if not read_only then backspace() end end,
    [keys.delete] = function() if not read_only then delete() end end,
    [keys.leftCtrl] = function() menu_open = true end,
    [keys.rightCtrl] = function() menu_open = true end,
}

-- The loop ---------------------------------------------------------------

load_file()
term.setBackgroundColour(colors.black)
term.setTextColour(colors.white)
term.clear()
draw_all()

while running do
    local event, param, x, y = os.pullEvent()
    if event == "key" then
        if menu_open then
            menu_key(param)
        else
            local action = edit_keys[param]
            if action then action() end
        end
        if running then
            draw_menu()
            place_cursor()
        end
    elseif event == "char" then
        if menu_open then
            for _, name in ipairs(menu_items) do
                if name:sub(1, 1):lower() == param:lower() then choose(name) end
            end
            if running then
                draw_menu()
                place_cursor()
            end
        elseif not read_only then
            insert(param)
        end
    elseif event == "paste" and not read_only and not menu_open then
        insert(param)
    elseif event == "mouse_click" and param == 1 and y < height then
        menu_open = false
        move_to(x + scroll_x, y + scroll_y)
    elseif event == "mouse_click" and param == 1 then
        click_menu(x)
        if running then
            draw_menu()
            place_cursor()
        end
    elseif event == "mouse_scroll" then
        scroll_y = math.max(0, math.min(scroll_y + param, math.max(#lines - (height - 1), 0)))
        draw_all()
    elseif event == "term_resize" then
        width, height = term.getSize()
        update(true)
    end
end

term.clear()
term.setCursorBlink(false)
term.setCursorPos(1, 1)
