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
---@return any
local function read_value(text)
    if text == "true" then return true end
    if text == "false" then return false end
    if text == "nil" then return nil end
    return tonumber(text) or text
end

--- Changes a setting, or with nil sets it back, and saves all.
local function change(name, text)
    local value = read_value(text)
    if value == nil then
        settings.unset(name)
        print(("%q unset"):format(name))
    else
        local wanted = settings.getDetails(name).type
        if wanted and type(value) ~= wanted then
            printError(("%q is not a valid %s."):format(text, wanted))
            return
        end
        settings.set(name, value)
        print(("%q set to %s"):format(name, textutils.serialize(value)))
    end
    settings.save(".settings")
end

if #arguments == 0 then
    show_all()
elseif #arguments == 1 then
    show_one(arguments[1])
else
    change(arguments[1], arguments[2])
end
