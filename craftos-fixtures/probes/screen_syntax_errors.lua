-- How the shell shows programs that do not load.

local function show_failure(source)
    local file = fs.open("failing.lua", "w")
    file.write(source)
    file.close()
    local screen = window.create(term.current(), 1, 1, 51, 19, false)
    local previous = term.redirect(screen)
    shell.run("failing")
    local _, last = screen.getCursorPos()
    term.redirect(previous)
    print("-- " .. source:gsub("\n", ";"))
    for y = 1, last do
        local text, foreground = screen.getLine(y)
        text = text:gsub(" +$", "")
        print((text:gsub("\149", "|"):gsub("\131", "~"):gsub("[\128-\255]", "?")), foreground:sub(1, #text))
    end
end

for _, source in ipairs({
    "if true then print(1)", "local x = = 1", "print('a", "local a = 1\nprint(a, 2, )", "goto", "--[[ [[ ]]\nprint(1) = 2",
    "x = { 1 2 }", "x = (1 + 2", "function f( end", "for i = 1 do end", "x = 5 5", "return return", "local function a.b() end",
    "while true", "repeat", "x = 2..3", "if a != b then end", "a.b", "f(", "x = [[unfinished", "local 5 = x", "end", "x = $",
    "if x = 1 then end", "else", ("x"):rep(80) .. " = = 1",
}) do
    show_failure(source)
end
fs.delete("failing.lua")
