-- What the host is told: one JSON object in a line, appended and flushed at once.

local open, tostring, type, pairs, ipairs = fs.open, tostring, type, pairs, ipairs
local concat, sort = table.concat, table.sort
local format, gsub, byte = string.format, string.gsub, string.byte
local huge = math.huge

local encode

---Writes a text in ASCII alone: a byte over 127 is `\u00XX`, which the host turns into that byte again.
local function encode_text(text)
    local escaped = gsub(text, '[%c"\\\127-\255]', function(character)
        return format("\\u%04x", byte(character))
    end)
    return '"' .. escaped .. '"'
end

local function encode_list(list)
    local pieces = {}
    for index, value in ipairs(list) do
        pieces[index] = encode(value)
    end
    return "[" .. concat(pieces, ",") .. "]"
end

local function encode_fields(fields)
    local names, pieces = {}, {}
    for name in pairs(fields) do
        names[#names + 1] = name
    end
    sort(names)
    for index, name in ipairs(names) do
        pieces[index] = encode_text(name) .. ":" .. encode(fields[name])
    end
    return "{" .. concat(pieces, ",") .. "}"
end

function encode(value)
    local kind = type(value)
    if kind == "string" then
        return encode_text(value)
    elseif kind == "boolean" then
        return tostring(value)
    elseif kind == "number" then
        return value == value and value ~= huge and value ~= -huge and format("%.17g", value) or "null"
    elseif kind ~= "table" then
        return "null"
    elseif value[1] ~= nil or value.is_list then
        return encode_list(value)
    end
    return encode_fields(value)
end

-- `current` is the file that was opened: what other parts tell goes there too.
local report = { encode = encode }

---Opens the file that the host reads.
---@param path string
---@return table report `write(event)`
function report.open(path)
    local file = assert(open(path, "ab"))
    local write, flush = file.write, file.flush
    report.current = {
        write = function(event)
            write(encode(event) .. "\n")
            flush()
        end,
    }
    return report.current
end

return report
