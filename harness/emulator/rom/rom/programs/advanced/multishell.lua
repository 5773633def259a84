-- multishell: runs several programs at once, each in a tab with a screen of its own.
-- Only the tab that is shown gets what the user types and clicks.

local include = include or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local parent = term.current()
local width, height = parent.getSize()

if multishell then
    print("multishell is already running!")
    return
end

---@class Tab
---@field task thread
---@field terminal table where the program's output goes
---@field window table
---@field title string
---@field filter string|nil
---@field interacted boolean whether the user did anything in it

---@type Tab[]
local tabs = {}
local current, running
local scroll = 1
local bar_shown = false

local bar_background, bar_text = colors.black, colors.gray
local selected_background, selected_text = colors.black, colors.yellow
if parent.isColour() then
    bar_background, bar_text = colors.gray, colors.black
end

local multishell = {}

-- Drawing ----------------------------------------------------------------

local function redraw_bar()
    if not bar_shown then return end
    parent.setCursorPos(1, 1)
    parent.setBackgroundColor(bar_background)
    parent.clearLine()
    for index = scroll, #tabs do
        local tab = tabs[index]
        if index == current then
            parent.setTextColor(selected_text)
            parent.setBackgroundColor(selected_background)
        else
            parent.setTextColor(bar_text)
            parent.setBackgroundColor(bar_background)
        end
        parent.write(" " .. tab.title .. " ")
    end
    -- The cursor belongs to the tab that is shown.
    if tabs[current] then tabs[current].window.restoreCursor() end
end

--- Sizes the tabs to what the bar leaves.
local function resize_windows()
    local top = bar_shown and 2 or 1
    local rows = bar_shown and height - 1 or height
    for _, tab in ipairs(tabs) do
        local x, y = tab.window.getCursorPos()
        if y > rows then
            tab.window.scroll(y - rows)
            tab.window.setCursorPos(x, rows)
        end
        tab.window.reposition(1, top, width, rows)
    end
end

--- Shows the bar when there is more than one tab.
local function update_bar()
    local wanted = #tabs >= 2
    if wanted ~= bar_shown then
        bar_shown = wanted
        resize_windows()
        for _, tab in ipairs(tabs) do tab.resized = true end
    end
    redraw_bar()
end

-- Tabs -------------------------------------------------------------------

local function select_tab(index)
    if current == index then return end
    if tabs[current] then tabs[current].window.setVisible(false) end
    current = index
    if tabs[current] then
        tabs[current].window.setVisible(true)
        tabs[current].interacted = true
    end
end

--- Gives an event to a tab.
local function resume_tab(index, event, ...)
    local tab = tabs[index]
    if not tab or (tab.filter ~= nil and tab.filter ~= event and event ~= "terminate") then return end
    running = index
    term.redirect(tab.terminal)
    local ok, result = coroutine.resume(tab.task, event, ...)
    tab.terminal = term.current()
    if ok then
        tab.filter = result
    else
        printError(result)
    end
    running = nil
end

--- Runs a program in a new tab.
---@return number index
local function launch(focus, env, path, ...)
    local arguments = table.pack(...)
    local top = bar_shown and 2 or 1
    local tab_window = window.create(parent, 1, top, width, height - top + 1, false)
    local index = #tabs + 1
    tabs[index] = {
        title = fs.getName(path):gsub("%.lua$", ""),
        window = tab_window,
        terminal = tab_window,
        interacted = false,
        task = coroutine.create(function()
            os.run(env, path, table.unpack(arguments, 1, arguments.n))
            -- What an untouched tab says stays to be read.
            if not tabs[running].interacted then
                term.setCursorBlink(false)
                print("Press any key to continue")
                os.pullEvent("char")
            end
        end),
    }
    if focus then select_tab(index) end

    local was_running, was_terminal = running, term.current()
    resume_tab(index)
    running = was_running
    term.redirect(was_terminal)
    return index
end

--- Removes the tabs whose programs have ended.
---@return boolean any
local function cull()
    local any = false
    for index = #tabs, 1, -1 do
        if coroutine.status(tabs[index].task) == "dead" then
            any = true
            table.remove(tabs, index)
            if current == index then
                current = nil
                if #tabs > 0 then select_tab(math.max(index - 1, 1)) end
            elseif current and current > index then
                current = current - 1
            end
            if scroll > #tabs then scroll = math.max(#tabs, 1) end
        end
    end
    return any
end

-- What programs see ------------------------------------------------------

--- Returns the tab that is shown.
---@return number
function multishell.getFocus()
    return current
end

--- Shows a tab.
---@param index number
---@return boolean
function multishell.setFocus(index)
    expect(1, index, "number")
    if not tabs[index] then return false end
    select_tab(index)
    redraw_bar()
    return true
end

--- Returns the title of a tab.
---@param index number
---@return string|nil
function multishell.getTitle(index)
    expect(1, index, "number")
    return tabs[index] and tabs[index].title
end

--- Sets the title of a tab.
---@param index number
---@param title string
function multishell.setTitle(index, title)
    expect(1, index, "number")
    expect(2, title, "string")
    if tabs[index] then
        tabs[index].title = title
        redraw_bar()
    end
end

--- Returns the tab that the calling program runs in.
---@return number
function multishell.getCurrent()
    return running
end

--- Runs a program in a new tab.
---@param env table
---@param path string
---@return number index
function multishell.launch(env, path, ...)
    expect(1, env, "table")
    expect(2, path, "string")
    local index = launch(false, env, path, ...)
    update_bar()
    return index
end

--- Returns how many tabs there are.
---@return number
function multishell.getCount()
    return #tabs
end

-- The loop ---------------------------------------------------------------

parent.clear()
launch(true, {
    shell = shell,
    multishell = multishell,
    include = include,
}, "/rom/programs/shell.lua")
update_bar()

-- Only the tab that is shown gets these.
local input_events = {
    char = true,
    key = true,
    key_up = true,
    paste = true,
    terminate = true,
    file_transfer = true,
}
local mouse_events = {
    mouse_click = true,
    mouse_up = true,
    mouse_drag = true,
    mouse_scroll = true,
}

--- Finds the tab at a column of the bar.
local function tab_at(x)
    local left = 1
    for index = scroll, #tabs do
        local right = left + #tabs[index].title + 1
        if x >= left and x <= right then return index end
        left = right + 1
    end
    return nil
end

while #tabs > 0 do
    local event = table.pack(os.pullEventRaw())
    local name = event[1]
    if name == "term_resize" then
        width, height = parent.getSize()
        resize_windows()
        redraw_bar()
        for index = 1, #tabs do resume_tab(index, "term_resize") end
    elseif input_events[name] then
        if name == "char" and tabs[current] then tabs[current].interacted = true end
        resume_tab(current, table.unpack(event, 1, event.n))
    elseif mouse_events[name] then
        local y = event[4]
        if bar_shown and y == 1 then
            if name == "mouse_click" then
                local index = tab_at(event[3])
                if index then
                    select_tab(index)
                    redraw_bar()
                end
            end
        else
            resume_tab(current, name, event[2], event[3], bar_shown and y - 1 or y)
        end
    else
        for index = 1, #tabs do resume_tab(index, table.unpack(event, 1, event.n)) end
    end

    if cull() then update_bar() end
    for index, tab in ipairs(tabs) do
        if tab.resized then
            tab.resized = nil
            resume_tab(index, "term_resize")
        end
    end
    if bar_shown then redraw_bar() end
end

term.redirect(parent)
