-- cc.internal.module_path: where `require` looks for modules unless a setting says so.

local folders = { "", "/rom/modules/main/" }
if turtle then folders[#folders + 1] = "/rom/modules/turtle/" end
if commands then folders[#folders + 1] = "/rom/modules/command/" end

local places = {}
for _, folder in ipairs(folders) do
    for _, ending in ipairs({ "?", "?.lua", "?/init.lua" }) do places[#places + 1] = folder .. ending end
end

return table.concat(places, ";")
