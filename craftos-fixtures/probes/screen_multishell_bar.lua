-- Tabs: more than fit into the bar, arrows, titles, which events they get, what their API says.

--- Runs a command on a hidden screen and gives it events one by one.
local function drive(width, height, command)
    local screen = window.create(term.current(), 1, 1, width, height, false)
    local terminal, wanted = screen, nil
    local task = coroutine.create(shell.run)
    local driver = { screen = screen }
    local function resume(...)
        local previous = term.redirect(terminal)
        local ok, result = coroutine.resume(task, ...)
        terminal = term.redirect(previous)
        wanted = result
        if not ok then print("failed: " .. tostring(result)) end
    end
    function driver.send(event, ...)
        if coroutine.status(task) == "dead" then return end
        if wanted == nil or wanted == event or event == "terminate" then resume(event, ...) end
    end
    function driver.type(text)
        for character in text:gmatch(".") do driver.send("char", character) end
        driver.send("key", keys.enter, false)
    end
    function driver.show(label)
        print("-- " .. label .. " (" .. coroutine.status(task) .. ")")
        local _, rows = screen.getSize()
        for y = 1, rows do
            local text, foreground, background = screen.getLine(y)
            print("[" .. text:gsub("[^%g ]", "?") .. "] " .. foreground .. " " .. background)
        end
        print(screen.getCursorPos())
    end
    resume(command)
    return driver
end

local function write_file(path, source)
    local file = fs.open(path, "w")
    file.write(source)
    file.close()
end

write_file("/loop.lua", [[
print("loop", ...)
while true do
    local event = table.pack(os.pullEventRaw())
    for index = 1, event.n do event[index] = tostring(event[index]) end
    print(table.concat(event, " "))
    if event[1] == "terminate" then return end
end]])
write_file("/titles.lua", [[
multishell.setTitle(multishell.getCurrent(), "a long title here")
print(multishell.getCount(), multishell.getCurrent(), multishell.getFocus(), multishell.getTitle(9))
os.pullEvent("never")]])
write_file("/api.lua", [[
local function try(label, fn, ...)
    local results = table.pack(pcall(fn, ...))
    for index = 1, results.n do results[index] = tostring(results[index]) end
    table.insert(probe_log, label .. ": " .. table.concat(results, ", "))
end
try("setFocus", multishell.setFocus)
try("setFocus 9", multishell.setFocus, 9)
try("getTitle", multishell.getTitle)
try("setTitle", multishell.setTitle, 1)
try("setTitle 9", multishell.setTitle, 9, "x")
try("launch", multishell.launch, {})
try("openTab", shell.openTab)
try("openTab none", shell.openTab, "none")
try("switchTab", shell.switchTab)
try("count", multishell.getCount)
try("focus", multishell.getFocus)
try("current", multishell.getCurrent)
try("title", multishell.getTitle, 1)]])

_G.probe_log = {}
local tabs = drive(36, 7, "multishell")
tabs.type("api")
for _, line in ipairs(_G.probe_log) do print(line) end
_G.probe_log = nil
tabs.type("bg loop 1")
tabs.show("in the background")
tabs.type("fg loop 2")
tabs.send("other", "event")
tabs.show("in the foreground")
tabs.send("mouse_click", 1, 3, 1)
tabs.send("mouse_click", 1, 3, 4)
tabs.show("back to the first")
tabs.send("mouse_click", 1, 10, 1)
tabs.send("mouse_scroll", 1, 5, 5)
tabs.send("mouse_drag", 1, 5, 1)
tabs.send("mouse_up", 1, 5, 2)
tabs.send("key", 65, true)
tabs.send("paste", "pasted")
tabs.show("the second gets what is its own")
tabs.send("terminate")
tabs.show("terminated")
tabs.send("mouse_click", 1, 3, 1)
tabs.type("bg titles")
for index = 1, 4 do tabs.type("bg loop " .. index) end
tabs.show("more than fit")
tabs.send("mouse_click", 1, 36, 1)
tabs.show("the arrow to the right")
tabs.send("mouse_scroll", 1, 5, 1)
tabs.show("the wheel")
tabs.send("mouse_click", 1, 1, 1)
tabs.show("the arrow to the left")
tabs.send("mouse_click", 1, 12, 1)
tabs.show("a tab of the moved bar")
tabs.screen.reposition(1, 1, 30, 9)
tabs.send("term_resize")
tabs.show("another size")
for _ = 1, 8 do tabs.send("terminate") end
tabs.show("all terminated")
for _, path in ipairs({ "/loop.lua", "/titles.lua", "/api.lua" }) do fs.delete(path) end
