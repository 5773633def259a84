-- Compresses texts that lie beside the library at several levels, and decompresses them.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;" .. package.path
local deflate = require("LibDeflate")

local check = common.check()
for _, name in ipairs({ "cp.html", "fields.c", "sum", "compressed_file" }) do
    local text = common.read("/program/tests/data/3rdparty/" .. name)
    for _, level in ipairs({ 1, 5, 8 }) do
        local small = deflate:CompressZlib(text, { level = level })
        check(small)
        common.yield()
        assert(deflate:DecompressZlib(small) == text)
        common.yield()
    end
end
common.finish(check)
