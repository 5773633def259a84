-- The names of the global environment that programs see.

local names = {}
for name, value in pairs(_G) do
    if type(name) == "string" and name:match("^[a-z]") then names[#names + 1] = name .. ":" .. type(value) end
end
table.sort(names)
for _, name in ipairs(names) do print(name) end
print(_VERSION, _HOST:match("^ComputerCraft %d+%.%d+"), os.version())
