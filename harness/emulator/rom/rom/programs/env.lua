-- env: lists the globals.

local names = {}
for name in pairs(_G) do names[#names + 1] = tostring(name) end
table.sort(names)
textutils.pagedTabulate(names)
