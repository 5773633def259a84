-- peripherals: lists what is attached.

local lines = { "Attached Peripherals:" }
for _, name in ipairs(peripheral.getNames()) do
    local types = table.concat({ peripheral.getType(name) }, ", ")
    table.insert(lines, ("%s (%s)"):format(name, types))
end
if not lines[2] then lines[2] = "None" end
print(table.concat(lines, "\n"))
