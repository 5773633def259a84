-- Runs a program as a startup program does, and turns the computer off when it has ended. An error goes on to
-- whoever runs this, as text. A `plan` stands before this: `words`, or a `command` as it is typed, and `settings`.
-- luacheck: read globals plan, ignore 122/_G

local function value_of(text)
    if text == "true" or text == "false" then
        return text == "true"
    end
    return tonumber(text) or text
end

for name, text in pairs(plan.settings) do
    settings.set(name, value_of(text))
end

local failure

local function noted(ok, problem, ...)
    if ok then
        return problem, ...
    end
    -- Managers of coroutines pass on errors as tables.
    local message = type(problem) == "table" and problem.message
    failure = type(message) == "string" and message or tostring(problem)
end

local load_file = loadfile
-- Only for the program itself, to hear its error: what it loads is loaded by the usual one.
_G.loadfile = function(path, mode, env)
    local chunk, problem = load_file(path, mode, env)
    if not chunk then
        failure = problem
        return chunk, problem
    end
    failure = nil
    _G.loadfile = load_file
    return function(...)
        return noted(pcall(chunk, ...))
    end
end

local ok
if plan.command then
    ok = shell.run(plan.command)
else
    ok = shell.execute(table.unpack(plan.words))
end
_G.loadfile = load_file
if failure or not ok then
    error(failure or "No such program", 0)
end
os.shutdown()
