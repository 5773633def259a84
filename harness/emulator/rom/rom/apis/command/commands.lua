-- commands: a function for each command of the world. Only command computers have
-- the native API.

if not commands then error("Cannot load command API on normal computer", 2) end

local api = _ENV
local native = commands
for name, value in pairs(native) do api[name] = value end
api.native = native

--- Makes the words of a command.
local function command_line(name, ...)
    local words = { name }
    for index = 1, select("#", ...) do
        local value = select(index, ...)
        if type(value) == "table" then
            words[#words + 1] = textutils.serializeJSON(value, { nbt_style = true })
        else
            words[#words + 1] = tostring(value)
        end
    end
    return table.concat(words, " ")
end

api.async = {}
for _, name in ipairs(native.list()) do
    if api[name] == nil then
        api[name] = function(...) return native.exec(command_line(name, ...)) end
        api.async[name] = function(...) return native.execAsync(command_line(name, ...)) end
    end
end
