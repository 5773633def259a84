-- cc.audio.dfpwm: the codec DFPWM1a, a bit for each sample of 8-bit sound.
--
-- Encoder and decoder follow the same model: a charge that each bit pulls towards
-- one end, by a strength that grows while bits repeat and falls when they change.

local expect = dofile("rom/modules/main/cc/expect.lua").expect

local PRECISION = 10
local STRENGTH_LIMIT = 2 ^ PRECISION - 1
local MIN_STRENGTH = 2 ^ (PRECISION - 8 + 1)
local HALF = 2 ^ (PRECISION - 1)
-- The share of the new sample in the low-pass filter, of 256.
local LOW_PASS = 140

local floor = math.floor

--- Makes the model of the charge.
---@return fun(bit: boolean): number
local function make_predictor()
    local charge, strength, previous = 0, 0, false
    return function(bit)
        local target = bit and 127 or -128
        local next_charge = charge + floor((strength * (target - charge) + HALF) / 2 ^ PRECISION)
        if next_charge == charge and next_charge ~= target then
            next_charge = next_charge + (bit and 1 or -1)
        end

        local strength_target = bit == previous and STRENGTH_LIMIT or 0
        local next_strength = strength
        if next_strength ~= strength_target then
            next_strength = next_strength + (bit == previous and 1 or -1)
        end
        if next_strength < MIN_STRENGTH then next_strength = MIN_STRENGTH end

        charge, strength, previous = next_charge, next_strength, bit
        return charge
    end
end

--- Makes an encoder that keeps its state from one call to the next.
---@return fun(input: number[]): string
local function make_encoder()
    local predict = make_predictor()
    local previous_charge = 0
    return function(input)
        expect(1, input, "table")
        local output = {}
        for byte_index = 0, floor((#input + 7) / 8) - 1 do
            local byte = 0
            for bit_index = 0, 7 do
                local level = floor(input[byte_index * 8 + bit_index + 1] or 0)
                if level > 127 or level < -128 then
                    error(("Amplitude at position %d was %d, but should be between -128 and 127")
                        :format(byte_index * 8 + bit_index + 1, level), 2)
                end
                local bit = level > previous_charge or (level == previous_charge and previous_charge == 127)
                byte = floor(byte / 2) + (bit and 128 or 0)
                previous_charge = predict(bit)
            end
            output[byte_index + 1] = string.char(byte)
        end
        return table.concat(output)
    end
end

--- Makes a decoder that keeps its state from one call to the next.
---@return fun(input: string): number[]
local function make_decoder()
    local predict = make_predictor()
    local low_pass, previous_charge, previous_bit = 0, 0, false
    return function(input)
        expect(1, input, "string")
        local output, count = {}, 0
        for index = 1, #input do
            local byte = input:byte(index)
            for _ = 1, 8 do
                local bit = byte % 2 == 1
                byte = floor(byte / 2)
                local charge = predict(bit)

                -- Where the bits change, the two charges are averaged against overshoot.
                local smoothed = charge
                if bit ~= previous_bit then smoothed = floor((charge + previous_charge + 1) / 2) end
                previous_charge, previous_bit = charge, bit

                low_pass = low_pass + floor(((smoothed - low_pass) * LOW_PASS + 0x80) / 256)
                count = count + 1
                output[count] = low_pass
            end
        end
        return output
    end
end

--- Decodes a whole sound.
---@param input string
---@return number[]
local function decode(input)
    expect(1, input, "string")
    return make_decoder()(input)
end

--- Encodes a whole sound.
---@param input number[]
---@return string
local function encode(input)
    expect(1, input, "table")
    return make_encoder()(input)
end

return {
    make_encoder = make_encoder,
    encode = encode,
    make_decoder = make_decoder,
    decode = decode,
}
