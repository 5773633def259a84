-- apis: lists the names of the APIs.

local names = {}
for name, value in pairs(_G) do
    if type(name) == "string" and type(value) == "table" and name ~= "_G" and name ~= "" then
        names[#names + 1] = name
    end
end
table.sort(names)
textutils.pagedTabulate(names)
