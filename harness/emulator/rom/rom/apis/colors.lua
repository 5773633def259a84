-- colors: the sixteen colours, sets of them, and their conversions.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local colors = _ENV

-- In the order of their numbers: the nth is 2^(n-1) and the nth hexadecimal digit.
local names = {
    "white", "orange", "magenta", "lightBlue", "yellow", "lime", "pink", "gray",
    "lightGray", "cyan", "purple", "blue", "brown", "green", "red", "black",
}

for index, name in ipairs(names) do colors[name] = 2 ^ (index - 1) end

--- Joins colours to a set.
---@param ... number
---@return number
function colors.combine(...)
    local set = 0
    for index = 1, select("#", ...) do
        local color = select(index, ...)
        expect(index, color, "number")
        set = bit32.bor(set, color)
    end
    return set
end

--- Takes colours out of a set.
---@param set number
---@param ... number
---@return number
function colors.subtract(set, ...)
    expect(1, set, "number")
    for index = 1, select("#", ...) do
        local color = select(index, ...)
        expect(index + 1, color, "number")
        set = bit32.band(set, bit32.bnot(color))
    end
    return set
end

--- Says whether a set holds a colour.
---@param set number
---@param color number
---@return boolean
function colors.test(set, color)
    expect(1, set, "number")
    expect(2, color, "number")
    return bit32.band(set, color) == color
end

--- Packs three channels between 0 and 1 into one number.
---@return number
function colors.packRGB(r, g, b)
    expect(1, r, "number")
    expect(2, g, "number")
    expect(3, b, "number")
    return bit32.band(math.floor(r * 255), 0xFF) * 0x10000
        + bit32.band(math.floor(g * 255), 0xFF) * 0x100
        + bit32.band(math.floor(b * 255), 0xFF)
end

--- Splits a packed colour into its channels.
---@return number, number, number
function colors.unpackRGB(rgb)
    expect(1, rgb, "number")
    return bit32.extract(rgb, 16, 8) / 255,
        bit32.extract(rgb, 8, 8) / 255,
        bit32.extract(rgb, 0, 8) / 255
end

--- Packs or unpacks, by the number of its arguments.
function colors.rgb8(r, g, b)
    if g == nil and b == nil then return colors.unpackRGB(r) end
    return colors.packRGB(r, g, b)
end

--- Gives the hexadecimal digit of a colour, for blit.
---@return string
function colors.toBlit(color)
    expect(1, color, "number")
    if color < 0 or color > 0xFFFF then error("Colour out of range", 2) end
    return ("%x"):format(math.floor(math.log(color, 2) + 1e-9))
end

--- Gives the colour of a hexadecimal digit.
---@return number|nil
function colors.fromBlit(digit)
    expect(1, digit, "string")
    if #digit ~= 1 then return nil end
    local value = tonumber(digit, 16)
    return value and 2 ^ value
end
