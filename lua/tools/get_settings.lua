-- The tool `get-settings`: the settings of a computer, those that are named or all.

local values = require("lib.values")

local function describe(name)
    local details = settings.getDetails and settings.getDetails(name) or { value = settings.get(name) }
    return {
        name = name,
        value = values.portable(details.value),
        default = details.default ~= nil and values.portable(details.default) or nil,
        type = details.type,
        description = details.description,
    }
end

local function call(arguments)
    local names = arguments.names
    if not names or #names == 0 then
        names = settings.getNames()
        table.sort(names)
    end
    local found = {}
    for index, name in ipairs(names) do
        found[index] = describe(name)
    end
    return { structuredContent = { settings = values.list(found, #found) } }
end

return { call = call }
