-- PNG pictures with a palette of up to sixteen colours. The pixels are stored, not compressed: a screen has 26 KB.

local bxor, band, rshift = bit32.bxor, bit32.band, bit32.rshift

-- The most bytes of one stored block.
local BLOCK_BYTES = 65535

local crc_of = {}
for byte = 0, 255 do
    local crc = byte
    for _ = 1, 8 do
        crc = crc % 2 == 1 and bxor(0xEDB88320, rshift(crc, 1)) or rshift(crc, 1)
    end
    crc_of[byte] = crc
end

local function crc32(text)
    local crc = 0xFFFFFFFF
    for at = 1, #text do
        crc = bxor(crc_of[band(bxor(crc, text:byte(at)), 255)], rshift(crc, 8))
    end
    return bxor(crc, 0xFFFFFFFF)
end

local function adler32(text)
    local low, high = 1, 0
    for at = 1, #text do
        low = (low + text:byte(at)) % 65521
        high = (high + low) % 65521
    end
    return high * 65536 + low
end

---Writes a number in four bytes, the highest first.
local function four_bytes(number)
    local floor = math.floor
    return string.char(
        floor(number / 16777216) % 256,
        floor(number / 65536) % 256,
        floor(number / 256) % 256,
        number % 256
    )
end

local function chunk(kind, data)
    return four_bytes(#data) .. kind .. data .. four_bytes(crc32(kind .. data))
end

---Wraps bytes as zlib does, without compressing them.
local function stored(data)
    local pieces = { "\120\1" }
    for at = 1, #data, BLOCK_BYTES do
        local block = data:sub(at, at + BLOCK_BYTES - 1)
        local length, is_last = #block, at + BLOCK_BYTES > #data
        local inverse = 65535 - length
        pieces[#pieces + 1] = string.char(
            is_last and 1 or 0,
            length % 256,
            math.floor(length / 256),
            inverse % 256,
            math.floor(inverse / 256)
        )
        pieces[#pieces + 1] = block
    end
    pieces[#pieces + 1] = four_bytes(adler32(data))
    return table.concat(pieces)
end

---Draws a picture.
---@param width number
---@param rows string[] two pixels in a byte, each the index of its colour from 0, the left one in the upper half
---@param palette number[] colours as 0xRRGGBB, up to sixteen
---@return string bytes
local function encode(width, rows, palette)
    local lines = {}
    for y, row in ipairs(rows) do
        -- The first byte of a line says that it is not filtered.
        lines[y] = "\0" .. row
    end
    local colours = {}
    for index, colour in ipairs(palette) do
        colours[index] = four_bytes(colour):sub(2)
    end
    -- Four bits for each pixel, which is an index into the palette.
    local header = four_bytes(width) .. four_bytes(#rows) .. "\4\3\0\0\0"
    return table.concat({
        "\137PNG\r\n\26\n",
        chunk("IHDR", header),
        chunk("PLTE", table.concat(colours)),
        chunk("IDAT", stored(table.concat(lines))),
        chunk("IEND", ""),
    })
end

return { encode = encode }
