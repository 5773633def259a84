-- shell.run: programs that return, fail, or do not load.

local function with(source)
    local file = fs.open("program.lua", "w")
    file.write(source)
    file.close()
    local screen = window.create(term.current(), 1, 1, 40, 6, false)
    local previous = term.redirect(screen)
    local ok = shell.run("program", "arg")
    term.redirect(previous)
    print(source:gsub("\n", ";"), ok)
    for y = 1, 6 do
        local line = screen.getLine(y):gsub(" +$", ""):gsub("[\128-\255]", "?")
        if line ~= "" then print("  " .. line) end
    end
end
with("return 5")
with("error('problem')")
with("error('problem', 0)")
with("error()")
with("error({})" and "error('', 0)")
with("x = = 1")
with("local t = nil\nt.x = 1")
with("if true then")
with("print(...)")
with("local function f() error('level two', 2) end\nf()")
with("shell.exit = nil")
with("return")
with("return false")
with("while true do break end end")
fs.delete("program.lua")
