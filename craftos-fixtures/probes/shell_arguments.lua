-- shell.run and execute: how words reach the program.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local file = fs.open("words.lua", "w")
file.write("_G.probe_words = table.pack(...) _G.probe_zero = arg[0] _G.probe_running = shell.getRunningProgram()")
file.close()
local function show(name, ...)
    _G.probe_words = nil
    local ok = shell[name](...)
    local words = _G.probe_words
    if words then
        for index = 1, words.n do words[index] = ("%q"):format(words[index]) end
        print(ok, words.n, table.concat(words, " "):gsub("\n", "n"))
    else
        print(ok)
    end
end
show("run", "words a b c")
show("run", "words", "a b", "c")
show("run", 'words "a b" c')
show("run", 'words "a"b')
show("run", 'words "unfinished')
show("run", 'words ""')
show("run", "words 'single quotes'")
show("run", "  words   spaced   ")
show("run", "words a\tb\nc")
show("run", "words", 1, 2.5)
show("run", "none")
show("run", "")
show("run")
show("execute", "words", "a b", "c")
show("execute", "words", '"quoted"')
show("execute", "words")
print(_G.probe_zero, _G.probe_running)
try("execute nil", shell.execute)
fs.delete("words.lua")
_G.probe_words, _G.probe_zero, _G.probe_running = nil, nil, nil
