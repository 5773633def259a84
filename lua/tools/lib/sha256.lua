-- SHA-256, as FIPS 180-4 has it. It yields now and then: a large file takes a while in Lua.

local band, bnot, bxor, rrotate, rshift = bit32.band, bit32.bnot, bit32.bxor, bit32.rrotate, bit32.rshift

-- Blocks between two yields: some ten milliseconds on CraftOS-PC.
local BLOCKS_PER_SLICE = 200

local TURN_EVENT = "sha256_turn"

---Gives the first 32 bits of a root's fraction.
local function fraction(root)
    return math.floor((root % 1) * 2 ^ 32)
end

-- The constants are the fractions of the roots of the first primes: the square root for the start, the cube root for
-- the rounds.
local START, ROUNDS = {}, {}
do
    local candidate = 2
    while #ROUNDS < 64 do
        local is_prime = true
        for divisor = 2, math.floor(math.sqrt(candidate)) do
            is_prime = is_prime and candidate % divisor ~= 0
        end
        if is_prime then
            ROUNDS[#ROUNDS + 1] = fraction(candidate ^ (1 / 3))
            if #START < 8 then
                START[#START + 1] = fraction(math.sqrt(candidate))
            end
        end
        candidate = candidate + 1
    end
end

---Fills a block up: a bit, zeros, and the length in bits.
local function padded(text)
    local bits = #text * 8
    local tail = "\128" .. ("\0"):rep((55 - #text) % 64)
    for shift = 7, 0, -1 do
        tail = tail .. string.char(math.floor(bits / 256 ^ shift) % 256)
    end
    return text .. tail
end

local function add_block(state, text, at)
    local words = {}
    for index = 1, 16 do
        local a, b, c, d = text:byte(at + index * 4 - 4, at + index * 4 - 1)
        words[index] = ((a * 256 + b) * 256 + c) * 256 + d
    end
    for index = 17, 64 do
        local early, late = words[index - 15], words[index - 2]
        local small = bxor(rrotate(early, 7), rrotate(early, 18), rshift(early, 3))
        local large = bxor(rrotate(late, 17), rrotate(late, 19), rshift(late, 10))
        words[index] = (words[index - 16] + small + words[index - 7] + large) % 4294967296
    end
    local a, b, c, d, e, f, g, h = table.unpack(state)
    for index = 1, 64 do
        local mix = bxor(rrotate(e, 6), rrotate(e, 11), rrotate(e, 25))
        local choice = bxor(band(e, f), band(bnot(e), g))
        local first = h + mix + choice + ROUNDS[index] + words[index]
        local spread = bxor(rrotate(a, 2), rrotate(a, 13), rrotate(a, 22))
        local majority = bxor(band(a, b), band(a, c), band(b, c))
        h, g, f, e = g, f, e, (d + first) % 4294967296
        d, c, b, a = c, b, a, (first + spread + majority) % 4294967296
    end
    for index, value in ipairs({ a, b, c, d, e, f, g, h }) do
        state[index] = (state[index] + value) % 4294967296
    end
end

---Gives the hash of some bytes, in hexadecimal.
---@param bytes string
---@return string
local function sha256(bytes)
    local state, text = { table.unpack(START) }, padded(bytes)
    for block = 0, #text / 64 - 1 do
        add_block(state, text, block * 64 + 1)
        if block % BLOCKS_PER_SLICE == BLOCKS_PER_SLICE - 1 then
            os.queueEvent(TURN_EVENT)
            coroutine.yield(TURN_EVENT)
        end
    end
    return (("%08x"):rep(8)):format(table.unpack(state))
end

return sha256
