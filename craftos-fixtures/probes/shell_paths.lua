-- shell: resolving paths and programs.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, path in ipairs({ "", "/", "a", "a/b", "/a", "..", "../..", "./a", "a/../b", "rom/", "a//b" }) do print(path, shell.resolve(path)) end
for _, name in ipairs({ "ls", "list", "hello", "rom/programs/list", "/rom/programs/list.lua", "./rom/programs/list", "none", "", "/", "rom", "list.lua", "cp", "wget", "bg" }) do
    print(name, shell.resolveProgram(name))
end
shell.setDir("rom/programs")
print(shell.dir())
for _, name in ipairs({ "list", "./list", "fun/hello", "../startup", "/list" }) do print(name, shell.resolve(name), shell.resolveProgram(name)) end
shell.setDir("/")
print(shell.dir() == "", shell.path())
try("setDir none", shell.setDir, "none")
try("setDir file", shell.setDir, "rom/startup.lua")
try("setDir nil", shell.setDir)
try("resolve nil", shell.resolve)
try("resolveProgram nil", shell.resolveProgram)
try("setPath nil", shell.setPath)
print(shell.getRunningProgram())
