-- cc.completion and cc.shell.completion.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local completion = require("cc.completion")
local shell_completion = require("cc.shell.completion")
local function show(list) print(list and table.concat(list, "|")) end
show(completion.choice("", { "one", "two" }))
show(completion.choice("o", { "one", "other", "two" }))
show(completion.choice("one", { "one", "oneself" }))
show(completion.choice("one", { "one", "oneself" }, true))
show(completion.side("b"))
show(completion.side("", true))
show(completion.setting("motd."))
show(completion.command(""))
show(completion.peripheral(""))
show(shell_completion.dir(shell, "rom/mo"))
show(shell_completion.file(shell, "rom/mo"))
show(shell_completion.dirOrFile(shell, "rom/mo"))
show(shell_completion.dirOrFile(shell, "rom/mo", {}, true))
show(shell_completion.program(shell, "labe"))
show(shell_completion.programWithArgs(shell, "labe", { "x" }, 2))
show(shell_completion.programWithArgs(shell, "", { "x", "label" }, 2))
show(shell_completion.choice(shell, "a", {}, { "ab", "ac" }))
local build = shell_completion.build(shell_completion.dir, nil, { shell_completion.choice, { "x", "y" } }, { shell_completion.side, many = true })
show(build(shell, 1, "rom/mo", {}))
show(build(shell, 2, "", {}))
show(build(shell, 3, "", {}))
show(build(shell, 4, "b", {}))
show(build(shell, 9, "b", {}))
try("choice", completion.choice)
try("choices", completion.choice, "x")
try("build", shell_completion.build, 5)
try("build table", shell_completion.build, { 5 })
try("build many", shell_completion.build, { print, many = true }, print)
