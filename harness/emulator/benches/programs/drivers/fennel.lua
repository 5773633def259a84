-- Compiles parts of the Fennel compiler with Fennel.
local common = dofile("/bench/common.lua")
package.path = "/program/bootstrap/?.lua;" .. package.path
local fennel = require("fennel")
fennel.path = "/program/src/?.fnl"
fennel["macro-path"] = fennel.path

local names = { "utils", "parser", "view", "friend", "repl", "specials", "compiler" }
local check = common.check()
for _ = 1, 2 do
    for _, name in ipairs(names) do
        local path = "/program/src/fennel/" .. name .. ".fnl"
        local options = { filename = path, allowedGlobals = false, ["compiler-env"] = _G }
        check(fennel.compileString(common.read(path), options))
        common.yield()
    end
end
common.finish(check)
