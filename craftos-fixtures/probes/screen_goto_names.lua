-- The word goto as a name: errors are explained where they are, not at the name.

local SHOWN = 8

local programs = {
    "local x = '\\('",
    "local function goto() end goto() local goto = 1 x.goto = 2 local y = {goto = 1} x = = 1",
    "goto = 1 y = = 1",
    "goto(1) y = = 1",
    "goto.x = 1 y = = 1",
    "local goto goto x ::x:: y = = 1",
    "goto x y = = 1",
    "x = goto y = = 1",
    "x:goto() goto:x() for goto = 1, 2 do end for goto in pairs{} do end y = = 1",
    "for a, goto in b do end y = = 1",
    "function goto.x() end y = = 1",
    "function a.goto() end y = = 1",
    "function a:goto() end y = = 1",
    "local function f(goto) end y = = 1",
    "goto 'x' y = = 1",
    "goto, x = 1, 2 y = = 1",
    "goto",
    "goto 1",
    "::goto:: y = = 1",
    "goto goto y = = 1",
    "goto goto goto y = = 1",
    "x = {1 goto = 2}",
    "f(a goto)",
    "goto x.y = 1",
    "goto x = 1",
}

local screen = window.create(term.current(), 1, 1, 51, 12, false)
for _, source in ipairs(programs) do
    local file = fs.open("/named.lua", "w")
    file.write(source)
    file.close()
    screen.clear()
    screen.setCursorPos(1, 1)
    local previous = term.redirect(screen)
    shell.run("/named.lua")
    term.redirect(previous)
    print(source)
    for row = 1, SHOWN do
        local text = screen.getLine(row):gsub("[^\32-\126]", function(byte) return "\\" .. byte:byte() end)
        if text:find("%S") then print((text:gsub(" +$", ""))) end
    end
end
fs.delete("/named.lua")
