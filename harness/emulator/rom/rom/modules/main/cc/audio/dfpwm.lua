-- cc.audio.dfpwm: sound as one bit for each sample. A bit says whether the wave goes up
-- or down; encoder and decoder both follow the bits with the same estimate of the wave.

local expect = require("cc.expect").expect

local HIGHEST, LOWEST = 127, -128
-- How fast the estimate follows grows while bits stay the same and shrinks when they
-- change, within these limits. It is a number of 10 bits.
local STEADIEST, QUICKEST, PRECISION = 8, 1023, 1024
-- How fast what is heard follows the estimate, in 256ths.
local SMOOTHING = 140

---@class Estimate
---@field level number the amplitude
---@field speed number
---@field up boolean the last bit

---@return Estimate
local function new_estimate()
    return { level = 0, speed = 0, up = false }
end

local floor = math.floor

--- Follows one bit.
---@param estimate Estimate
---@param up boolean
---@return number level
local function follow(estimate, up)
    local level, speed = estimate.level, estimate.speed
    local goal, repeated = up and HIGHEST or LOWEST, estimate.up == up

    local moved = level + floor((speed * (goal - level) + PRECISION / 2) / PRECISION)
    -- Rounding may keep it where it is; one step is always made until it is there.
    if moved == level and level ~= goal then moved = level + (up and 1 or -1) end

    if not repeated then
        speed = speed > 0 and speed - 1 or speed
    elseif speed < QUICKEST then
        speed = speed + 1
    end

    estimate.level, estimate.up = moved, up
    estimate.speed = speed > STEADIEST and speed or STEADIEST
    return moved
end

--- Makes a function that turns amplitudes into bytes, one piece of a sound after another.
---@return fun(pcm: number[]): string
local function make_encoder()
    local estimate = new_estimate()

    --- Gives a sample as the whole number that it stands for.
    local function amplitude(samples, position)
        local sample = floor(samples[position] or 0)
        if sample > HIGHEST or sample < LOWEST then
            local message = "Amplitude at position %d was %d, but should be between %d and %d"
            -- Whoever called the encoder is wrong.
            error(message:format(position, sample, LOWEST, HIGHEST), 4)
        end
        return sample
    end

    --- Packs the eight samples after a position into a byte. The first sample is its lowest bit.
    local function byte_of(samples, position)
        local byte = 0
        for bit = 1, 8 do
            local sample = amplitude(samples, position + bit)
            local level = estimate.level
            local up = sample > level or (sample == level and level == HIGHEST)
            follow(estimate, up)
            byte = byte * 0.5 + (up and 128 or 0)
        end
        return string.char(byte)
    end

    return function(input)
        expect(1, input, "table")
        local bytes = {}
        for position = 0, #input - 1, 8 do table.insert(bytes, byte_of(input, position)) end
        return table.concat(bytes)
    end
end

--- Makes a function that turns bytes into amplitudes.
---@return fun(dfpwm: string): number[]
local function make_decoder()
    local estimate, heard = new_estimate(), 0

    return function(input)
        expect(1, input, "string")
        local samples, count = {}, 0
        for position = 1, #input do
            local rest = input:byte(position)
            for _ = 1, 8 do
                local up, was_up, before = rest % 2 == 1, estimate.up, estimate.level
                rest = (rest - rest % 2) / 2
                local level = follow(estimate, up)
                -- A turn of the wave is softened: half way between the two levels.
                if up ~= was_up then level = floor((level + before + 1) / 2) end
                heard = heard + floor(((level - heard) * SMOOTHING + 128) / 256)
                count = count + 1
                samples[count] = heard
            end
        end
        return samples
    end
end

return {
    make_encoder = make_encoder,
    make_decoder = make_decoder,
    encode = function(input)
        expect(1, input, "table")
        return make_encoder()(input)
    end,
    decode = function(input)
        expect(1, input, "string")
        return make_decoder()(input)
    end,
}
