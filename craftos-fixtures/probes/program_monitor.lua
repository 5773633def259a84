-- The program monitor, with a window in the place of a monitor: output, errors, events, being terminated, scales.

local canvas = window.create(term.current(), 1, 1, 20, 6, false)
local screen = window.create(term.current(), 1, 1, 51, 8, false)

-- Headless CraftOS-PC has no monitors: the API shows one on the left.
local real, scale = peripheral, nil
local methods = { setTextScale = function(new_scale) scale = new_scale end }
for name, method in pairs(canvas) do methods[name] = method end
local made_up = setmetatable({}, { __index = real })
function made_up.getType(name) if name == "left" then return "monitor" end return real.getType(name) end
function made_up.hasType(name, kind) if name == "left" then return kind == "monitor" end return real.hasType(name, kind) end
function made_up.isPresent(name) return name == "left" or real.isPresent(name) end
function made_up.getNames() return { "left" } end
function made_up.call(name, method, ...) if name == "left" then return methods[method](...) end return real.call(name, method, ...) end
function made_up.wrap(name) if name == "left" then return methods end return real.wrap(name) end
_G.peripheral = made_up

local function show(terminal)
    local _, height = terminal.getSize()
    for y = 1, height do
        local text, inks, papers = terminal.getLine(y)
        print("|" .. text .. "|", inks, papers)
    end
end

local function clear(terminal)
    terminal.setBackgroundColor(colors.black)
    terminal.setTextColor(colors.white)
    terminal.clear()
    terminal.setCursorPos(1, 1)
end

--- Runs a command, with a program in /program.lua, and shows the monitor and the screen.
local function run(label, command, text, events)
    print("== " .. label)
    if text then
        local file = fs.open("/program.lua", "w")
        file.write(text)
        file.close()
    end
    clear(canvas)
    clear(screen)
    local previous = term.redirect(screen)
    for _, event in ipairs(events or {}) do os.queueEvent(table.unpack(event)) end
    local ok, result = pcall(shell.run, command)
    local current = term.redirect(previous)
    print(ok, result, scale, current == screen)
    show(canvas)
    show(screen)
end

local on_left = "monitor left /program.lua"
run("output", on_left .. " a b", "print('hi', ...) print(term.getSize())")
run("an error", on_left, "print('before') error('oops')")
run("an error without a place", on_left, "print('before') error('oops', 0)")
run("bad syntax", on_left, "print('before') local x = = 1")
run("terminated", on_left, "print('waiting') os.pullEvent('x') print('no')", { { "terminate" } })
run("terminated, and goes on", on_left, "print(os.pullEventRaw('x')) print('went on')", { { "terminate" } })
run("events", on_left, [[
    repeat
        local event = { os.pullEvent() }
        print(table.unpack(event))
    until event[1] == "x"
]], {
    { "monitor_touch", "left", 1, 2 },
    { "monitor_touch", "right", 1, 2 },
    { "monitor_resize", "left" },
    { "monitor_resize", "right" },
    { "mouse_click", 1, 2, 3 },
    { "char", "a" },
    { "x" },
})
run("colours that stay", on_left, "term.setBackgroundColor(colors.red) print('x')")
run("no program", "monitor left nosuch")
run("no monitor", "monitor top /program.lua")
run("usage", "monitor")
run("usage of a monitor", "monitor left")
for _, arguments in ipairs({ "left 2", "left 9", "left x", "left", "top 1" }) do
    run("scale", "monitor scale " .. arguments)
end
_G.peripheral = real
fs.delete("/program.lua")
