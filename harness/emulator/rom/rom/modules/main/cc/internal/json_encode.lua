-- cc.internal.json_encode: values as JSON text, for textutils.serializeJSON.

local short_escapes = {
    ["\b"] = "\\b",
    ["\f"] = "\\f",
    ["\n"] = "\\n",
    ["\r"] = "\\r",
    ["\t"] = "\\t",
    ["\""] = "\\\"",
    ["\\"] = "\\\\",
}

local function escape_byte(char)
    return short_escapes[char] or ("\\u%04X"):format(char:byte())
end

--- Quotes a string whose bytes are characters.
local function quote_bytes(text)
    return "\"" .. text:gsub("[%z\1-\31\"\\\127-\255]", escape_byte) .. "\""
end

--- Quotes a string of UTF-8.
local function quote_unicode(text)
    local parts = {}
    for _, code in utf8.codes(text) do
        if code < 0x80 then
            parts[#parts + 1] = utf8.char(code):gsub("[%z\1-\31\"\\\127]", escape_byte)
        elseif code < 0x10000 then
            parts[#parts + 1] = ("\\u%04X"):format(code)
        else
            local rest = code - 0x10000
            parts[#parts + 1] = ("\\u%04X\\u%04X"):format(
                0xD800 + bit32.rshift(rest, 10), 0xDC00 + bit32.band(rest, 0x3FF))
        end
    end
    return "\"" .. table.concat(parts) .. "\""
end

--- Makes the encoder for a set of options.
---@param options { nbt_style?: boolean, unicode_strings?: boolean, allow_repetitions?: boolean }
---@param empty_array table the value that stands for []
---@param null table the value that stands for null
---@return fun(value: any): string
local function make_encoder(options, empty_array, null)
    local quote = options.unicode_strings and quote_unicode or quote_bytes
    local open = {}
    local encode

    local function encode_table(tbl)
        if tbl == empty_array then return "[]" end
        if tbl == null then return "null" end
        if open[tbl] ~= nil then
            if open[tbl] then error("Cannot serialize table with recursive entries", 0) end
            error("Cannot serialize table with repeated entries", 0)
        end
        open[tbl] = true

        -- What has a name is an object; what has only numbers is an array up to the largest.
        local members, last = {}, 0
        for key, value in pairs(tbl) do
            if type(key) == "string" then
                local name = options.nbt_style and key or quote(key)
                members[#members + 1] = name .. ":" .. encode(value)
            elseif type(key) == "number" and key > last then
                last = key
            end
        end

        local text
        if #members > 0 or last == 0 then
            text = "{" .. table.concat(members, ",") .. "}"
        else
            local elements = {}
            for index = 1, last do
                local value = tbl[index]
                elements[index] = value == nil and "null" or encode(value)
            end
            text = "[" .. table.concat(elements, ",") .. "]"
        end

        if options.allow_repetitions then open[tbl] = nil else open[tbl] = false end
        return text
    end

    encode = function(value)
        local kind = type(value)
        if kind == "string" then return quote(value) end
        if kind == "number" or kind == "boolean" then return tostring(value) end
        if kind == "table" then return encode_table(value) end
        error("Cannot serialize type " .. kind, 0)
    end
    return encode
end

return make_encoder
