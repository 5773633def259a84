-- exec: runs a command of the world.

if not commands then
    printError("Requires a Command Computer.")
    return
end

local arguments = { ... }
if #arguments == 0 then
    printError("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <command>")
    return
end

--- Writes in a colour where there are colours.
local function print_in(colour, text)
    if term.isColour() then term.setTextColour(colour) end
    print(text)
    term.setTextColour(colors.white)
end

local ok, output = commands.exec(table.concat(arguments, " "))
if ok then
    print_in(colors.green, "Success")
else
    printError("Failed")
end
for _, line in ipairs(output) do print(line) end
