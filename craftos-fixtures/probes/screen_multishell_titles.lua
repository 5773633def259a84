-- Tabs: their titles when a program launches others, and a multishell inside a tab.

local WIDTH, HEIGHT = 40, 6

local screen = window.create(term.current(), 1, 1, WIDTH, HEIGHT, false)
local task, filter = coroutine.create(shell.run), nil

local function send(event, ...)
    if coroutine.status(task) == "dead" or filter ~= nil and event ~= nil and filter ~= event then return end
    local previous = term.redirect(screen)
    local _, result = coroutine.resume(task, event, ...)
    term.redirect(previous)
    filter = result
end

local function enter(text)
    for char in text:gmatch(".") do send("char", char) end
    send("key", keys.enter, false)
    print("-- " .. text)
    for y = 1, HEIGHT do print("[" .. screen.getLine(y):gsub("[^%g ]", "?") .. "]") end
end

local function write_file(path, text)
    local file = fs.open(path, "w")
    file.write(text)
    file.close()
end

local names = { "a.b.lua", "plain", "x.lua", "y.LUA", "folder/z.lua" }
for _, name in ipairs(names) do write_file(name, "os.pullEvent('never')") end
write_file("launch.lua", [[
for _, name in ipairs({ "/a.b.lua", "plain", "/x.lua", "/y.LUA", "/folder/z.lua" }) do
    write(multishell.getTitle(multishell.launch({}, name)) .. " ")
end]])

send("/rom/programs/advanced/multishell.lua")
enter("launch")
enter("multishell")
enter("id")

for _, name in ipairs({ "a.b.lua", "plain", "x.lua", "y.LUA", "folder", "launch.lua" }) do fs.delete(name) end
