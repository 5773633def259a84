-- What an error looks like when the program left other colours behind: marks stand on black.

local WIDTH, SHOWN = 40, 10

local programs = {
    "local x = nil\nx()",
    "local x = = nil\nx()",
    "local x = 1\n    local y = x.y.z + 1\n",
    "for i = 1 do end",
    "foo(",
    "if x then\n  foo()\n\n",
}

local screen = window.create(term.current(), 1, 1, WIDTH, 12, false)
for _, source in ipairs(programs) do
    local file = fs.open("/failing.lua", "w")
    file.write(source)
    file.close()
    screen.setBackgroundColour(colours.white)
    screen.setTextColour(colours.blue)
    screen.clear()
    screen.setCursorPos(1, 1)
    local previous = term.redirect(screen)
    shell.run("/failing.lua")
    term.redirect(previous)
    for row = 1, SHOWN do
        local text, foreground, background = screen.getLine(row)
        print((text:gsub("[^\32-\126]", function(byte) return "\\" .. byte:byte() end)), foreground, background)
    end
    print(screen.getTextColour(), screen.getBackgroundColour())
end
fs.delete("/failing.lua")
