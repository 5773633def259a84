-- The tools `list-peripherals` and `call-peripheral`.

local values = require("lib.values")

local function sorted(list)
    table.sort(list)
    return values.list(list, #list)
end

local function list()
    local found = {}
    local names = peripheral.getNames()
    table.sort(names)
    for index, name in ipairs(names) do
        found[index] = {
            name = name,
            types = sorted({ peripheral.getType(name) }),
            methods = sorted(peripheral.getMethods(name) or {}),
        }
    end
    return { structuredContent = { peripherals = values.list(found, #found) } }
end

local function call(arguments)
    local name, method = arguments.name, arguments.method
    if not peripheral.isPresent(name) then
        local names = table.concat(peripheral.getNames(), "`, `")
        local there = names == "" and "there are none" or "there are `" .. names .. "`"
        error(("there is no peripheral `%s`; %s"):format(name, there), 0)
    end
    local methods = peripheral.getMethods(name) or {}
    local has_method = false
    for _, known in ipairs(methods) do
        has_method = has_method or known == method
    end
    if not has_method then
        table.sort(methods)
        local wording = "`%s` has no method `%s`; it has `%s`"
        error(wording:format(name, method, table.concat(methods, "`, `")), 0)
    end
    local given = arguments.arguments or {}
    local returned = table.pack(peripheral.call(name, method, table.unpack(given)))
    for index = 1, returned.n do
        returned[index] = values.portable(returned[index])
    end
    return { structuredContent = { returns = values.list(returned, returned.n) } }
end

return { list = list, call = call }
