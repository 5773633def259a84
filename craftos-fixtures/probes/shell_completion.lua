-- shell.complete: programs and arguments.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

fs.makeDir("probe_folder")
fs.open("probe_file.txt", "w").close()
local function show(line)
    local endings = shell.complete(line)
    if endings == nil then
        print(line, nil)
        return
    end
    local list = {}
    for _, ending in ipairs(endings) do list[#list + 1] = ending end
    table.sort(list)
    print(line, table.concat(list, "|"))
end
for _, line in ipairs({
    "", "hel", "label", "label ", "label s", "label set ", "cd probe", "ls probe", "edit probe", "copy probe", "copy a probe", "mkdir probe",
    "redstone ", "redstone set ", "redstone set l", "wget ", "pastebin ", "set list", "set list.show_hidden ", "none ", "alias ", "alias x lab",
    "monitor ", "gps ", "clear ", "type probe", "delete probe", "delete x probe", "move probe", "rename probe", "drive probe", "bg labe", "fg label ", "shell labe", "shell label g", "label  g",
}) do
    show(line)
end
fs.delete("probe_folder")
fs.delete("probe_file.txt")
try("nil", shell.complete)
try("program nil", shell.completeProgram)
try("function", shell.setCompletionFunction, "x", 5)
