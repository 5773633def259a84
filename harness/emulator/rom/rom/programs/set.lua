-- set: shows and changes settings.

local pretty = require("cc.pretty")
local arguments = { ... }

--- Shows all settings.
local function show_all()
    local _, row = term.getCursorPos()
    local documents = {}
    for index, name in ipairs(settings.getNames()) do
        if index > 1 then documents[#documents + 1] = pretty.line end
        documents[#documents + 1] = pretty.pretty(name)
        documents[#documents + 1] = pretty.text(" is ")
        documents[#documents + 1] = pretty.pretty(settings.get(name))
    end
    local document = pretty.concat(table.unpack(documents))
    textutils.pagedPrint(pretty.render(document, (term.getSize())), row - 3)
end

--- Shows one setting with its default and its description.
local function show_one(name)
    local details = settings.getDetails(name)
    local message = pretty.text(name, colors.cyan) .. pretty.text(" is ") .. pretty.pretty(details.value)
    if details.default ~= nil and details.value ~= details.default then
        message = message .. pretty.text(" (default is ") .. pretty.pretty(details.default) .. pretty.text(")")
    end
    pretty.print(message)
    if details.description then print(details.description) end
end

--- Reads a value that was typed.
---@return any value
---@return string|nil problem
local function read_value(text, kind)
    if kind == "boolean" then
        if text == "true" then return true end
        if text == "false" then return false end
        return nil, "is not a valid boolean."
    elseif kind == "number" then
        local number = tonumber(text)
        if number then return number end
        return nil, "is not a valid number."
    elseif kind == "table" then
        local value = textutils.unserialize(text)
        if type(value) == "table" then return value end
        return nil, "is not a valid table."
    elseif kind == "string" then
        return text
    end
    if text == "true" then return true end
    if text == "false" then return false end
    if text == "nil" then return nil end
    return tonumber(text) or text
end

if #arguments == 0 then
    show_all()
elseif #arguments == 1 then
    show_one(arguments[1])
else
    local name, text = arguments[1], arguments[2]
    local details = settings.getDetails(name)
    local value, problem = read_value(text, details.type)
    if problem then
        printError(("%q %s"):format(text, problem))
        return
    end

    local message
    if value == nil and text == "nil" then
        settings.unset(name)
        message = pretty.text(("%q"):format(name)) .. pretty.text(" unset")
    else
        settings.set(name, value)
        message = pretty.text(("%q"):format(name)) .. pretty.text(" set to ") .. pretty.pretty(value)
    end
    pretty.print(message)
    if value ~= nil and details.changed and details.value ~= value and name:sub(1, 5) == "bios." then
        print("This takes effect after a reboot.")
    end
    settings.save(".settings")
end
