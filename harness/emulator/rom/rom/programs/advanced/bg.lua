-- bg: runs a program in a new tab, in the background.

if not shell.openTab then
    printError("Requires multishell")
    return
end

if select("#", ...) > 0 then
    shell.openTab(...)
else
    shell.openTab("shell")
end
