-- Parses the minifier's own files, and writes them small and beautiful.
local common = dofile("/bench/common.lua")
common.fix_random()
package.path = "/program/?.lua;" .. package.path
local parser = require("ParseLua")
local formats = { require("FormatMini"), require("FormatBeautiful") }

local names = { "ParseLua", "FormatBeautiful", "FormatMini", "FormatIdentity", "Scope", "Util" }
local check = common.check()
for _ = 1, 2 do
    for _, name in ipairs(names) do
        local text = common.read("/program/" .. name .. ".lua")
        for _, format in ipairs(formats) do
            local parsed, tree = parser.ParseLua(text)
            assert(parsed, tree)
            check(format(tree))
            common.yield()
        end
    end
end
common.finish(check)
