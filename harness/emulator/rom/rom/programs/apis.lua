-- apis: lists the names of the APIs, those of this program's own environment included.

local seen = {}
for _, env in ipairs({ _G, _ENV }) do
    for name, value in pairs(env) do
        if type(name) == "string" and type(value) == "table" and name ~= "_G" and name ~= "arg" then seen[name] = true end
    end
end
local names = {}
for name in pairs(seen) do names[#names + 1] = name end
table.sort(names)
textutils.pagedTabulate(names)
