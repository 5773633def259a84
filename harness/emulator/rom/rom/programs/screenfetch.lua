-- screenfetch: shows what this computer is, in a few lines.

local rows = {
    { "OS", os.version() },
    { "Host", _HOST },
    { "Computer", "#" .. os.getComputerID() .. (os.getComputerLabel() and " (" .. os.getComputerLabel() .. ")" or "") },
    { "Uptime", ("%.1f s"):format(os.clock()) },
    { "Screen", table.concat({ term.getSize() }, "x") },
    { "Programs", tostring(#shell.programs()) },
}
for _, row in ipairs(rows) do
    if term.isColour() then term.setTextColour(colors.yellow) end
    write(row[1] .. ": ")
    term.setTextColour(colors.white)
    print(row[2])
end
