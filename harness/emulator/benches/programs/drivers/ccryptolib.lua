-- Hashes, encrypts, signs and exchanges keys.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;" .. package.path
require("ccryptolib.random").init("a seed")
local aead = require("ccryptolib.aead")
local blake3 = require("ccryptolib.blake3")
local ed25519 = require("ccryptolib.ed25519")
local sha256 = require("ccryptolib.sha256")
local x25519 = require("ccryptolib.x25519")

local check = common.check()
local message = common.words(60000)
local key = sha256.digest("a key")
check(sha256.digest(message))
check(blake3.digest(message))
common.yield()
local hidden, tag = aead.encrypt(key, ("n"):rep(12), message, "with it")
check(hidden)
assert(aead.decrypt(key, ("n"):rep(12), tag, hidden, "with it") == message)
common.yield()
local public = ed25519.publicKey(key)
for round = 1, 32 do
    local signature = ed25519.sign(key, public, message:sub(1, round * 100))
    check(#signature)
    assert(ed25519.verify(public, message:sub(1, round * 100), signature))
    common.yield()
end
local other = sha256.digest("another key")
for _ = 1, 32 do
    other = x25519.exchange(other, x25519.publicKey(key))
    check(other)
    common.yield()
end
common.finish(check)
