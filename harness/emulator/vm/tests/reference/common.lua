-- What the generators of the tables share: random numbers from a fixed seed, and texts that survive a line.
-- The generators run on CraftOS-PC; `out` writes a line to the table.

local common = {}

local state = 20240611

--- A whole number from `low` to `high`, the same in every run.
function common.random(low, high)
    -- The constants of Numerical Recipes; the products stay below 2^53.
    state = (state * 1664525 + 1013904223) % 4294967296
    return low + math.floor(state / 4294967296 * (high - low + 1))
end

function common.pick(list)
    return list[common.random(1, #list)]
end

--- A text with everything that is not a plain character, and the backslash, as `\XX`.
function common.escape(text)
    return (text:gsub("[^%w !-/:-@%[%]^_`{|}~]", function(byte) return ("\\%02x"):format(byte:byte()) end))
end

--- The eight bytes of a number, as hexadecimal digits: exact, nan included.
function common.bits(number)
    return (string.pack(">d", number):gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

--- A double of any kind: short decimals, whole numbers, halves, powers of two, any bits.
function common.number()
    local kind = common.random(1, 8)
    if kind == 1 then return common.random(-1000, 1000) end
    if kind == 2 then return common.random(-100000, 100000) / 8 end
    if kind == 3 then return common.random(-99999999, 99999999) / 10 ^ common.random(0, 12) end
    if kind == 4 then return 2 ^ common.random(-1074, 1023) end
    if kind == 5 then return common.pick({ 0, -0.0, 1 / 0, -1 / 0, 0 / 0, -(0 / 0), 2 ^ 53, 2 ^ 63, -2 ^ 63, 2 ^ 64, 5e-324, 1.7976931348623157e308, 0.5, 1.5, 2.5, 1e14, 1e15, 99999999999999.5, 123456789012345 }) end
    if kind == 6 then return common.random(0, 4294967295) * 4294967296 + common.random(0, 4294967295) end
    local bytes = {}
    for i = 1, 8 do bytes[i] = string.char(common.random(0, 255)) end
    return (string.unpack("<d", table.concat(bytes)))
end

return common
