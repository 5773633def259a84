-- colors: the sixteen colours, each a bit of its own, and sets of them.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local api = _ENV

-- In the order of their bits, which is that of the digits of paint files and `blit`.
local order = "white orange magenta lightBlue yellow lime pink gray "
    .. "lightGray cyan purple blue brown green red black"
local next_bit = 1
for name in order:gmatch("%a+") do
    api[name] = next_bit
    next_bit = next_bit * 2
end
local past_the_last = next_bit

--- Adds the colours of all sets.
---@param ... number
---@return number
function api.combine(...)
    local sets = { ... }
    for index = 1, select("#", ...) do expect(index, sets[index], "number") end
    return bit32.bor(...)
end

--- Takes colours out of a set.
---@param colors number
---@param ... number
---@return number
function api.subtract(colors, ...)
    expect(1, colors, "number")
    local taken = { ... }
    for index = 1, select("#", ...) do expect(index + 1, taken[index], "number") end
    if #taken == 0 then return colors end
    return bit32.band(colors, bit32.bnot(bit32.bor(...)))
end

--- Says whether a set has all colours of another.
---@return boolean
function api.test(colors, color)
    expect(1, colors, "number")
    expect(2, color, "number")
    return bit32.btest(colors, color) and bit32.band(colors, color) == color or color == 0
end

-- A channel is a byte of the packed number, and a share of the brightest elsewhere.
local BRIGHTEST = 0xFF

--- Packs three channels into one number.
---@param r number from 0 to 1
---@param g number
---@param b number
---@return number
function api.packRGB(r, g, b)
    expect(1, r, "number")
    expect(2, g, "number")
    expect(3, b, "number")
    local band = bit32.band
    return band(r * BRIGHTEST, BRIGHTEST) * 65536 + band(g * BRIGHTEST, BRIGHTEST) * 256 + band(b * BRIGHTEST, BRIGHTEST)
end

--- Unpacks a number into its channels.
---@param rgb number
---@return number r, number g, number b
function api.unpackRGB(rgb)
    expect(1, rgb, "number")
    rgb = bit32.band(rgb, 0xFFFFFF)
    local blue = rgb % 256
    local green = (rgb - blue) / 256 % 256
    return (rgb - green * 256 - blue) / 65536 / BRIGHTEST, green / BRIGHTEST, blue / BRIGHTEST
end

--- Packs three channels or unpacks one number: the old form of both.
function api.rgb8(r, g, b)
    if g ~= nil or b ~= nil then return api.packRGB(r, g, b) end
    return api.unpackRGB(r)
end

--- Returns the digit of a colour; for a set, that of its highest.
---@param color number
---@return string
function api.toBlit(color)
    expect(1, color, "number")
    if color < 0 or color >= past_the_last then error("Colour out of range", 2) end
    return string.format("%x", math.floor(math.log(color) / math.log(2)))
end

local by_digit = {}
for bit = 0, 15 do
    local digit = ("%x"):format(bit)
    by_digit[digit], by_digit[digit:upper()] = 2 ^ bit, 2 ^ bit
end

--- Returns the colour of a digit.
---@param hex string
---@return number|nil
function api.fromBlit(hex)
    expect(1, hex, "string")
    return by_digit[hex]
end
