-- alias: shows, sets and clears other names of programs.

local arguments = { ... }
if #arguments > 2 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <alias> <program>")
    return
end

local alias, program = arguments[1], arguments[2]
if alias and program then
    shell.setAlias(alias, program)
elseif alias then
    shell.clearAlias(alias)
else
    local list = {}
    for name, command in pairs(shell.aliases()) do list[#list + 1] = name .. ":" .. command end
    table.sort(list)
    textutils.pagedTabulate(list)
end
