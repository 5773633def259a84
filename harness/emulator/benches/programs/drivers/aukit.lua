-- Makes tones, edits them, and takes them through several formats of sound.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;" .. package.path
local aukit = require("aukit")

local check = common.check()
local function add(audio)
    for _, channel in ipairs(audio.data) do
        for sample = 1, #channel, 50 do
            check(math.floor(channel[sample] * 1e6 + 0.5))
        end
    end
    common.yield()
end

local sound = aukit.tone(440, 5, 0.6, "sine", 0.5, 1, 22050):mix(
    0.5,
    aukit.tone(660, 5, 0.4, "square", 0.3, 1, 22050),
    aukit.tone(110, 5, 0.4, "sawtooth", 0.5, 1, 22050)
)
aukit.effects.fade(sound, 0.5, 1, 1, 0.2)
aukit.effects.echo(sound, 0.1, 0.5)
aukit.effects.lowpass(sound, 2000)
add(sound)
local fine = sound:resample(48000, "cubic")
add(fine)
add(aukit.wav(fine:wav(16)))
local bits = fine:dfpwm()
check(bits)
add(aukit.dfpwm(bits, 1, 48000))
add(aukit.g711(common.words(100000), true, 1, 8000))
add(aukit.adpcm(common.words(100000), 1, 22050))
common.finish(check)
