-- Hashes a text with many functions.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;" .. package.path
local sha = require("sha2")

local check = common.check()
local text = common.words(60000)
for _, name in ipairs({ "md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s", "blake3" }) do
    check(sha[name](text))
    common.yield()
end
check(sha.hmac(sha.sha256, "a key", text))
check(sha.base64_to_bin(sha.bin_to_base64(text:sub(1, 6000))))
common.finish(check)
