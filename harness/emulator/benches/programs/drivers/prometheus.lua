-- Obfuscates some of the obfuscator's tests.
local common = dofile("/bench/common.lua")
common.fix_random()
package.path = "/program/src/?.lua;" .. package.path
local prometheus = require("prometheus")
prometheus.Logger.logLevel = prometheus.Logger.LogLevel.Error

local check = common.check()
--- Runs what came out: the order of its parts is that of `pairs`, so that its text need not be the same everywhere.
local function run(code)
    local environment = { getfenv = false }
    function environment.print(...)
        check(table.concat({ ... }, " "))
    end
    check(tostring(pcall(load(code, "=program", "t", setmetatable(environment, { __index = _ENV })))))
end

local names =
    { "closures", "primes", "strings", "state-machine", "syntax", "metatables", "coroutines", "matrix" }
for _, preset in ipairs({ "Minify", "Medium", "Weak" }) do
    for _, name in ipairs(names) do
        math.randomseed(1)
        local pipeline = prometheus.Pipeline:fromConfig(prometheus.Presets[preset])
        local code = pipeline:apply(common.read("/program/tests/" .. name .. ".lua"), name)
        check(#code)
        run(code)
        common.yield()
    end
end
common.finish(check)
