-- Runs a check on the computer, and turns it off. A `plan` stands before this: the check's `name` and `code`, and
-- `run`, which the check gets as its argument.
-- luacheck: read globals plan

local env = setmetatable({ shell = shell, multishell = multishell }, { __index = _G })
env.require, env.package = require("cc.require").make(env, "/")

local check, problem = load(plan.code, plan.name, "t", env)
if not check then
    error(problem, 0)
end
local results = table.pack(pcall(check, plan.run))
if not results[1] then
    error(tostring(results[2]), 0)
end
if results.n > 1 and not results[2] then
    error(results[3] and tostring(results[3]) or "it returned " .. tostring(results[2]), 0)
end
os.shutdown()
