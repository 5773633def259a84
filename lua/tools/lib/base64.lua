-- Base64, both ways.

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- Strings are worked on in slices: `string.byte` puts each byte on Lua's stack. Both are whole groups.
local BYTES_PER_SLICE, DIGITS_PER_SLICE = 3072, 4096

local digits, values = {}, {}
for index = 1, #DIGITS do
    local digit = DIGITS:sub(index, index)
    digits[index - 1] = digit
    values[digit:byte()] = index - 1
end

local function encode_slice(slice)
    local bytes, out = { slice:byte(1, -1) }, {}
    local floor = math.floor
    for at = 1, #bytes, 3 do
        local first, second, third = bytes[at], bytes[at + 1], bytes[at + 2]
        local bits = first * 65536 + (second or 0) * 256 + (third or 0)
        out[#out + 1] = digits[floor(bits / 262144)]
        out[#out + 1] = digits[floor(bits / 4096) % 64]
        out[#out + 1] = second and digits[floor(bits / 64) % 64] or "="
        out[#out + 1] = third and digits[bits % 64] or "="
    end
    return table.concat(out)
end

---Writes bytes as base64.
---@param bytes string
---@return string
local function encode(bytes)
    local pieces = {}
    for at = 1, #bytes, BYTES_PER_SLICE do
        pieces[#pieces + 1] = encode_slice(bytes:sub(at, at + BYTES_PER_SLICE - 1))
    end
    return table.concat(pieces)
end

local function decode_slice(slice, out)
    local codes = { slice:byte(1, -1) }
    local floor, char = math.floor, string.char
    for at = 1, #codes, 4 do
        local bits = 0
        for offset = 0, 3 do
            bits = bits * 64 + (values[codes[at + offset]] or 0)
        end
        out[#out + 1] = char(floor(bits / 65536), floor(bits / 256) % 256, bits % 256)
    end
end

---Reads base64; white space in it is passed over.
---@param text string
---@return string|nil bytes nothing where it is none
local function decode(text)
    text = text:gsub("%s+", "")
    local padding = #text:match("=*$")
    if #text % 4 ~= 0 or padding > 2 or text:sub(1, #text - padding):find("[^%w+/]") then
        return nil
    end
    local out = {}
    for at = 1, #text, DIGITS_PER_SLICE do
        decode_slice(text:sub(at, at + DIGITS_PER_SLICE - 1), out)
    end
    local bytes = table.concat(out)
    return bytes:sub(1, #bytes - padding)
end

return { encode = encode, decode = decode }
