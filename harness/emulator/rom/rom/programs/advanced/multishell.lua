-- multishell: runs several programs at once, each in a tab with a screen of its own.
-- Only the tab that is shown gets what the user types and clicks.

local include = include or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local screen = term.current()
local columns, rows = screen.getSize()

---@class Job a program in a tab
---@field title string
---@field window table
---@field terminal table where its output goes now
---@field thread thread
---@field wanted string|nil the event that it waits for
---@field touched boolean whether the user did anything in it
---@field resized boolean|nil whether it is still to hear that its screen has another size
local Job = {}
Job.__index = Job

---@type Job[]
local jobs = {}
---@type Job|nil, Job|nil the one that is shown, and the one that runs right now
local shown, running

local function index_of(job)
    for index, other in ipairs(jobs) do
        if other == job then return index end
    end
    return nil
end

--- Gives an event to the program if it waits for it.
function Job:give(event, ...)
    if self.wanted ~= nil and self.wanted ~= event and event ~= "terminate" then return end
    local outer = running
    running = self
    term.redirect(self.terminal)
    local ok, result = coroutine.resume(self.thread, event, ...)
    self.terminal = term.current()
    if ok then self.wanted = result else printError(result) end
    running = outer
end

-- The bar ----------------------------------------------------------------

---@class Bar the titles of the tabs, in the first row
local bar = {
    visible = false,
    -- The first tab that is shown; those before it are behind an arrow.
    first = 1,
    ink = colors.gray,
    paper = colors.black,
    chosen_ink = colors.yellow,
    chosen_paper = colors.black,
}
if screen.isColour() then bar.ink, bar.paper = colors.black, colors.gray end

--- Goes through the tabs that the bar has, with the columns that they take.
function bar.places()
    local index, column = bar.first - 1, bar.first > 1 and 2 or 1
    return function()
        index = index + 1
        local job = jobs[index]
        if not job then return nil end
        local left = column
        column = column + #job.title + 2
        return index, left, column - 1
    end
end

function bar.draw()
    if not bar.visible then return end
    local function use(chosen)
        screen.setTextColour(chosen and bar.chosen_ink or bar.ink)
        screen.setBackgroundColour(chosen and bar.chosen_paper or bar.paper)
    end

    screen.setBackgroundColour(bar.paper)
    screen.setCursorPos(1, 1)
    screen.clearLine()
    use(false)
    if bar.first > 1 then screen.write("<") end
    local last = 0
    for index, left, right in bar.places() do
        use(jobs[index] == shown)
        screen.setCursorPos(left, 1)
        screen.write(" " .. jobs[index].title .. " ")
        last = right
    end
    if last > columns then
        use(false)
        screen.setCursorPos(columns, 1)
        screen.write(">")
    end
    -- The cursor belongs to the tab that is shown.
    if shown then shown.window.restoreCursor() end
end

--- Shows other tabs in the bar: those before, or those after.
function bar.scroll(step)
    bar.first = math.min(math.max(bar.first + step, 1), math.max(#jobs, 1))
    bar.draw()
end

--- Finds what is at a column of the bar: a tab, or an arrow, which is a step.
---@return Job|nil job
---@return number|nil step
function bar.at(x)
    if x == 1 and bar.first > 1 then return nil, -1 end
    local found, last = nil, 0
    for index, left, right in bar.places() do
        if x >= left and x <= right then found = jobs[index] end
        last = right
    end
    if x == columns and last > columns then return nil, 1 end
    return found
end

-- Screens ----------------------------------------------------------------

--- Puts all windows below the bar, or where it was.
local function place_windows()
    local top = bar.visible and 2 or 1
    local height = rows - top + 1
    for _, job in ipairs(jobs) do
        local x, y = job.window.getCursorPos()
        if y > height then
            job.window.scroll(y - height)
            job.window.setCursorPos(x, height)
        end
        job.window.reposition(1, top, columns, height)
    end
end

--- Shows the bar while there is more than one tab.
local function update_bar()
    local needed = #jobs > 1
    if needed ~= bar.visible then
        bar.visible = needed
        place_windows()
        for _, job in ipairs(jobs) do job.resized = true end
    end
    bar.draw()
end

local function show(job)
    if job == shown then return end
    if shown then shown.window.setVisible(false) end
    shown = job
    if job then
        job.window.setVisible(true)
        job.touched = true
    end
end

--- Starts a program in a new tab.
---@return number index
local function start(focus, env, path, ...)
    local arguments = table.pack(...)
    local top = bar.visible and 2 or 1
    local view = window.create(screen, 1, top, columns, rows - top + 1, false)
    local job = setmetatable({
        title = fs.getName(path),
        window = view,
        terminal = view,
        touched = false,
    }, Job)
    job.thread = coroutine.create(function()
        os.run(env, path, table.unpack(arguments, 1, arguments.n))
        if job.touched then return end
        -- What a tab says that nobody has looked at stays to be read.
        term.setCursorBlink(false)
        print("Press any key to continue")
        os.pullEvent("char")
    end)
    table.insert(jobs, job)
    if focus then show(job) end

    local before = term.current()
    job:give()
    term.redirect(before)
    return index_of(job)
end

--- Takes the tabs away whose programs have ended.
local function sweep()
    local any = false
    for index = #jobs, 1, -1 do
        local job = jobs[index]
        if coroutine.status(job.thread) == "dead" then
            any = true
            table.remove(jobs, index)
            if job == shown then
                shown = nil
                show(jobs[math.max(index - 1, 1)])
            end
        end
    end
    if any then
        bar.first = math.min(bar.first, math.max(#jobs, 1))
        update_bar()
    end
end

-- What programs see ------------------------------------------------------

local multishell = {}

--- Returns the tab that is shown.
---@return number|nil
function multishell.getFocus() return index_of(shown) end

--- Shows a tab.
---@param n number
---@return boolean
function multishell.setFocus(n)
    expect(1, n, "number")
    local job = jobs[n]
    if job then
        show(job)
        bar.draw()
    end
    return job ~= nil
end

--- Returns the title of a tab.
---@param n number
---@return string|nil
function multishell.getTitle(n)
    expect(1, n, "number")
    return jobs[n] and jobs[n].title
end

--- Sets the title of a tab.
---@param n number
---@param title string
function multishell.setTitle(n, title)
    expect(1, n, "number")
    expect(2, title, "string")
    if not jobs[n] then return end
    jobs[n].title = title
    bar.draw()
end

--- Returns the tab that the calling program runs in.
---@return number|nil
function multishell.getCurrent() return index_of(running) end

--- Runs a program in a new tab.
---@param tProgramEnv table
---@param sProgramPath string
---@return number index
function multishell.launch(tProgramEnv, sProgramPath, ...)
    expect(1, tProgramEnv, "table")
    expect(2, sProgramPath, "string")
    local index = start(false, tProgramEnv, sProgramPath, ...)
    update_bar()
    return index
end

--- Returns how many tabs there are.
---@return number
function multishell.getCount() return #jobs end

-- Events -----------------------------------------------------------------

local function give_shown(...)
    if shown then shown:give(...) end
end

local function give_all(...)
    for _, job in ipairs({ table.unpack(jobs) }) do job:give(...) end
end

--- Makes a handler for an event of the mouse, whose row is below the bar, or in it.
local function mouse(in_bar)
    return function(name, button, x, y)
        if not bar.visible then
            give_shown(name, button, x, y)
        elseif y > 1 then
            give_shown(name, button, x, y - 1)
        elseif in_bar then
            in_bar(button, x)
        end
    end
end

local handlers = {
    char = function(...)
        if shown then shown.touched = true end
        give_shown(...)
    end,
    term_resize = function()
        columns, rows = screen.getSize()
        place_windows()
        bar.draw()
        give_all("term_resize")
    end,
    mouse_click = mouse(function(_, x)
        local job, step = bar.at(x)
        if step then return bar.scroll(step) end
        if job then
            show(job)
            bar.draw()
        end
    end),
    mouse_scroll = mouse(function(step) bar.scroll(step) end),
    mouse_drag = mouse(),
    mouse_up = mouse(),
}
for _, name in ipairs({ "file_transfer", "key", "key_up", "paste", "terminate" }) do handlers[name] = give_shown end

screen.clear()
start(true, {
    shell = shell,
    multishell = multishell,
    include = include,
}, "/rom/programs/shell.lua")
update_bar()

while #jobs > 0 do
    local event = table.pack(os.pullEventRaw())
    local handle = handlers[event[1]] or give_all
    handle(table.unpack(event, 1, event.n))
    sweep()
    for _, job in ipairs({ table.unpack(jobs) }) do
        if job.resized then
            job.resized = nil
            job:give("term_resize")
        end
    end
    bar.draw()
end

term.redirect(screen)
