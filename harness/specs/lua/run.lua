-- Runs one spec file on this computer, and tells the host of every step: which tests there are, which one begins, how
-- it ended. The host reads that while it happens, so that a test which hangs or kills the computer is known by name.
--
-- A spec may replace any global. So everything that the runner needs later is kept in locals before the spec is loaded.

local FOLDER = "/.harness/specs"

-- What the host wants: `file`; `folders`, where specs are; `filters`, one of which a test's name has in it; `seed`, for
-- the order; `ended`, the numbers of tests that have ended on a computer before this one; `before`, a file that is run
-- before anything else; `network`, whether requests that no stub answers go out.
local plan = dofile(FOLDER .. "/plan.lua")

local part = dofile(FOLDER .. "/parts.lua")(plan, _ENV)

if plan.before then
    dofile(plan.before)
end

local report = part("report").open(FOLDER .. "/results")
local environment = part("environment")
local failures = part("failures")
local tree = part("tree")

local runner = part("runner").new(report, failures, environment)
part("guard").install()

report.write({ event = "loading" })
local root, problem = tree.collect(plan.file, environment)
if not root then
    report.write({ event = "unreadable", message = problem.message, traceback = problem.traceback })
    return
end

---Tells the host of a test that was found.
local function found(test)
    tree.choose(test, plan)
    report.write({ event = "found", test = tree.describe(test) })
end

local function run(test)
    if not test.left_out and not (plan.ended and plan.ended[test.number]) then
        runner:run(test)
    end
end

if plan.seed then
    -- Another order needs all of them at once.
    local tests = {}
    tree.walk(root, function(test)
        found(test)
        tests[#tests + 1] = test
    end)
    for _, test in ipairs(tree.in_order(tests, plan.seed)) do
        run(test)
    end
else
    tree.walk(root, function(test)
        found(test)
        run(test)
    end)
end
runner:finish()
report.write({ event = "done" })
