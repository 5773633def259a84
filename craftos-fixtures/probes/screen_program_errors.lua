-- How the shell shows errors of programs: long paths, other files, interpreters, coroutines, tracebacks.

local function write_file(path, source)
    local file = fs.open(path, "w")
    file.write(source)
    file.close()
end

local function show(label, ...)
    local screen = window.create(term.current(), 1, 1, 45, 12, false)
    local previous = term.redirect(screen)
    local results = table.pack(pcall(shell.run, ...))
    term.redirect(previous)
    print("-- " .. label, table.unpack(results, 1, results.n))
    local _, last = screen.getCursorPos()
    for y = 1, last do
        local text, foreground = screen.getLine(y)
        text = text:gsub(" +$", "")
        print((text:gsub("[\128-\255]", "?")), foreground:sub(1, #text))
    end
end

show("no program", "none")
local deep = "/a_long_folder_name/with/another_long_name"
fs.makeDir(deep)
write_file(deep .. "/program.lua", "local x = 1\nerror('long path')")
show("a long path", deep .. "/program")
write_file("/inner.lua", "\n\nerror('in another file')")
write_file("/outer.lua", "dofile('/inner.lua')")
show("another file", "outer")
write_file("/outer.lua", "shell.run('inner')")
show("another program", "outer")
write_file("/outer.lua", "local function f() error('level', 2) end\nlocal function g()\n f()\nend\ng()")
show("a level", "outer")
write_file("/outer.lua", "local ok, why = coroutine.resume(coroutine.create(function() error('inside') end)) error(why, 0)")
show("a coroutine", "outer")
write_file("/outer.lua", "load('\\nerror([[loaded]])', '=name')()")
show("a text", "outer")
write_file("/outer.lua", "os.queueEvent('terminate') os.pullEvent('never')")
show("terminated", "outer")
write_file("/outer.lua", "print(debug.traceback('from here'))")
show("a traceback", "outer")
write_file("/outer.lua", "print(arg[0], #arg, ...) print(shell.getRunningProgram())")
show("a shell in between", "shell outer one two")
write_file("/script", "#!none x")
show("no interpreter", "script")
write_file("/script", "#!/script")
show("its own interpreter", "script")
write_file("/script", "#!shell")
show("the shell as interpreter", "script")
write_file("/script", "#! outer \"a b\" c\nno Lua")
show("an interpreter", "script d")
for _, path in ipairs({ "/a_long_folder_name", "/inner.lua", "/outer.lua", "/script" }) do fs.delete(path) end
