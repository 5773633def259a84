-- How the shell shows programs that fail.

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
    "error('plain')", "  error('indented')", "error('no position', 0)", "error('two\\nlines')", "local t = {}\n\n  t.a.b = 1",
    "local function f() error('level two', 2) end\nf()", "error('abc: 12: x')", "coroutine.wrap(function() error('in a coroutine') end)()",
    "error('failing.lua:5: not there', 0)", "textutils.serialize(print)", "parallel.waitForAny(function() error('in parallel') end)",
    "print('printed') error('after')", "sleep('x')", "local x = nil + 1", "undefined()", "error(setmetatable({}, { __tostring = function() return 'object' end }))",
    "error('')", "error(nil)", "error(5)", "error(true)", "string.rep()",
}) do
    show_failure(source)
end
fs.delete("failing.lua")
