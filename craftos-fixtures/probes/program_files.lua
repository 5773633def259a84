-- The programs that work with files.

--- Runs a command line and prints what it wrote.
local function run(...)
    local output = {}
    local old_print, old_write, old_error = _G.print, _G.write, _G.printError
    local function collect(prefix)
        return function(...)
            local parts = table.pack(...)
            for index = 1, parts.n do parts[index] = tostring(parts[index]) end
            output[#output + 1] = prefix .. table.concat(parts, " ") .. "\n"
        end
    end
    _G.print = collect("")
    _G.printError = collect("error: ")
    _G.write = function(text) output[#output + 1] = tostring(text) end
    local results = table.pack(pcall(shell.run, ...))
    _G.print, _G.write, _G.printError = old_print, old_write, old_error
    print("> " .. table.concat({ ... }, " "), tostring(results[2]))
    local text = table.concat(output):gsub("\n$", "")
    if text ~= "" then print(text) end
end

fs.delete("probe")
run("mkdir probe probe/sub")
run("mkdir probe")
run("mkdir")
run("mkdir /rom/x")
fs.open("probe/a.txt", "w").close()
run("copy probe/a.txt probe/b.txt")
run("copy probe/a.txt probe/b.txt")
run("copy probe/a.txt probe/sub")
run("copy probe/none x")
run("copy probe/*.txt probe/c.txt")
run("move probe/b.txt probe/c.txt")
run("move probe/none x")
run("rename probe/c.txt probe/d.txt")
run("rename probe/c.txt probe/d.txt")
run("rename probe/a.txt probe/d.txt")
run("type probe")
run("type probe/d.txt")
run("type probe/none")
run("type")
run("delete probe/d.txt")
run("delete probe/d.txt")
run("delete")
run("delete /rom")
run("cd probe")
print(shell.dir())
run("cd none")
run("cd /")
run("cd")
run("delete probe/sub probe/a.txt")
print(#fs.list("probe"))
fs.delete("probe")
run("drive rom")
run("drive none")
