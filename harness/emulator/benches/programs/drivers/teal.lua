-- Checks some of the Teal compiler's modules with Teal, and writes them as Lua.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;/program/?/init.lua;" .. package.path
-- The compiler asks for a variable of the environment, which a computer does not have.
rawset(os, "getenv", function() end)
local teal = require("teal")

local check = common.check()
for _, name in ipairs({ "lexer", "block", "type_errors", "reader" }) do
    local input = assert(teal.compiler():open("/program/teal/" .. name .. ".tl"))
    local code, _, errors = input:gen()
    check(code)
    check(#errors.syntax_errors + #errors.type_errors)
    common.yield()
end
common.finish(check)
