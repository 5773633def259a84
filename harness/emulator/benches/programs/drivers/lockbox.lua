-- Digests, and ciphers in several modes, both ways.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;/program/?/init.lua;" .. package.path
local lockbox = require("lockbox")
lockbox.ALLOW_INSECURE = true
local array = require("lockbox.util.array")
local stream = require("lockbox.util.stream")
local padding = require("lockbox.padding.pkcs7")

local check = common.check()
local text = common.words(3000)
for _, name in ipairs({ "md5", "sha1", "sha2_256", "ripemd160" }) do
    local digest = require("lockbox.digest." .. name)
    check(digest().update(stream.fromString(text)).finish().asHex())
    common.yield()
end
for _, case in ipairs({ { "aes128", "cbc", 16, 16 }, { "aes256", "ctr", 32, 16 }, { "des3", "ofb", 24, 8 } }) do
    local cipher, mode = require("lockbox.cipher." .. case[1]), require("lockbox.cipher.mode." .. case[2])
    local key, start = array.fromString(common.words(case[3])), array.fromString(common.words(case[4]))
    local function run(with, input)
        local state = with().setKey(key).setBlockCipher(cipher).setPadding(padding).init()
        return state.update(stream.fromArray(start)).update(input).finish().asBytes()
    end
    local hidden = run(mode.Cipher, stream.fromString(text))
    check(array.toHex(hidden))
    common.yield()
    check(array.toString(run(mode.Decipher, stream.fromArray(hidden))))
    common.yield()
end
common.finish(check)
