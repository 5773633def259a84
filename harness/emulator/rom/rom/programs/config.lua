-- config: shows and changes the options of the emulator.

local arguments = { ... }
if not config then
    printError("The emulator cannot be configured here")
    return
end

local command = arguments[1]
if command == "list" then
    local names = config.list()
    table.sort(names)
    textutils.pagedTabulate(names)
elseif command == "get" and arguments[2] then
    local value = config.get(arguments[2])
    print(type(value) == "table" and textutils.serialize(value) or tostring(value))
elseif command == "set" and arguments[3] then
    local kind = config.getType and config.getType(arguments[2])
    local value = arguments[3]
    if kind == "number" or kind == 1 then
        value = tonumber(value)
    elseif kind == "boolean" or kind == 0 then
        value = value == "true"
    end
    local ok, message = pcall(config.set, arguments[2], value)
    if not ok then printError(message) end
else
    printError("Usage: config <get|set|list> [setting] [value]")
end
