-- shell: aliases and programs.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

shell.setAlias("probe_alias", "list")
print(shell.aliases().probe_alias, shell.resolveProgram("probe_alias"))
shell.clearAlias("probe_alias")
print(shell.aliases().probe_alias, shell.resolveProgram("probe_alias"))
local names = {}
for alias, program in pairs(shell.aliases()) do names[#names + 1] = alias .. "=" .. program end
table.sort(names)
print(table.concat(names, " "))
local programs = {}
for _, name in ipairs(shell.programs()) do programs[name] = true end
for _, name in ipairs({ "alias", "apis", "cd", "clear", "copy", "delete", "drive", "edit", "eject", "exit", "gps", "help", "id", "import", "label", "list", "lua", "mkdir", "monitor", "motd", "move", "peripherals", "programs", "reboot", "redstone", "rename", "set", "shell", "shutdown", "time", "type", "wget", "pastebin", "bg", "fg", "chat", "repeat", "hello", "dj", "paint" }) do
    if not programs[name] then print("missing", name) end
end
try("setAlias", shell.setAlias, "x")
try("clearAlias", shell.clearAlias)
