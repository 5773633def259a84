-- Runs the specs on this computer: `spec/runner [--results FILE] [--shutdown] [FILTER...]`.
-- It prints what failed and a summary, and writes the results as JSON, for a host to read. With `--shutdown` the
-- computer then goes off, with code 0 where everything passed, 1 where something failed, 2 where nothing could run.
--
-- Each file `*_spec.lua` is a program that sees `describe`, `it`, `expect` and the globals of this one.

local garbage = require("/apis/mcpcomputer/garbage")
local json = require("/apis/mcpcomputer/json")

local DEFAULT_RESULTS = "/spec-results.json"

-- A spec that waits for an event which never comes must not hold up the others for ever.
local SPEC_SECONDS = 60

---@class Result
---@field name string
---@field ok boolean
---@field error string|nil
---@field ms number

-- ---- expectations ------------------------------------------------------------------------------

local function shown(value)
    if type(value) == "string" then
        return ("%q"):format(#value > 300 and value:sub(1, 300) .. "..." or value)
    end
    local ok, written = pcall(textutils.serialize, value)
    return ok and written or tostring(value)
end

local function equal(left, right)
    if type(left) ~= "table" or type(right) ~= "table" then
        return left == right or (left ~= left and right ~= right)
    end
    for key, value in pairs(left) do
        if not equal(value, right[key]) then
            return false
        end
    end
    for key in pairs(right) do
        if left[key] == nil then
            return false
        end
    end
    return true
end

local expectations = {}

---Fails at the line of the spec.
local function fail(message)
    error(message, 4)
end

---Fails unless the value is equal, tables entry by entry.
function expectations.to_equal(value, expected)
    if not equal(value, expected) then
        fail(("expected %s, got %s"):format(shown(expected), shown(value)))
    end
end

---Fails unless the value is a string that matches the pattern.
function expectations.to_match(value, pattern)
    if type(value) ~= "string" or not value:find(pattern) then
        fail(("expected a match of %q, got %s"):format(pattern, shown(value)))
    end
end

---Fails unless the value is a string with this text in it.
function expectations.to_contain(value, part)
    if type(value) ~= "string" or not value:find(part, 1, true) then
        fail(("expected something with %q in it, got %s"):format(part, shown(value)))
    end
end

---Fails unless the value lies between two others.
function expectations.to_be_between(value, least, most)
    if type(value) ~= "number" or value < least or value > most then
        fail(("expected something from %s to %s, got %s"):format(least, most, shown(value)))
    end
end

---Fails unless the function throws an error that matches the pattern.
function expectations.to_throw(value, pattern)
    local ok, problem = pcall(value)
    if ok or not tostring(problem):find(pattern) then
        fail(("expected an error that matches %q, got %s"):format(pattern, ok and "none" or shown(problem)))
    end
end

---Gives the expectations about a value: `expect(x).to_equal(y)`.
local function expect(value)
    local about = {}
    for name, check in pairs(expectations) do
        about[name] = function(...)
            check(value, ...)
        end
    end
    return about
end

-- ---- collecting and running --------------------------------------------------------------------

---Collects the specs of a file.
---@return table[] specs `name` and `body`
local function collect(path)
    local specs, prefix = {}, {}
    local env = setmetatable({
        require = require,
        shell = shell,
        expect = expect,
        describe = function(name, body)
            prefix[#prefix + 1] = name
            body()
            prefix[#prefix] = nil
        end,
        it = function(name, body)
            prefix[#prefix + 1] = name
            specs[#specs + 1] = { name = table.concat(prefix, " "), body = body }
            prefix[#prefix] = nil
        end,
    }, { __index = _G })
    local file, problem = loadfile(path, nil, env)
    if not file then
        return {
            {
                name = path,
                body = function()
                    error(problem, 0)
                end,
            },
        }
    end
    local ok, thrown = pcall(file)
    if not ok then
        specs[#specs + 1] = {
            name = path,
            body = function()
                error(thrown, 0)
            end,
        }
    end
    return specs
end

---Finds the spec files below a directory, in order.
local function find(directory, found)
    local names = fs.list(directory)
    table.sort(names)
    for _, name in ipairs(names) do
        local path = fs.combine(directory, name)
        if fs.isDir(path) then
            find(path, found)
        elseif name:find("_spec%.lua$") then
            found[#found + 1] = "/" .. path
        end
    end
    return found
end

local function selected(name, filters)
    for _, filter in ipairs(filters) do
        if name:find(filter, 1, true) then
            return true
        end
    end
    return #filters == 0
end

---Runs one spec.
---@return Result
local function run(spec)
    -- The time that specs run without yielding must not add up to what the computer stops a program for.
    sleep(0)
    garbage.check()
    local started = os.epoch("utc")
    local ok, problem = false, ("still running after %d s"):format(SPEC_SECONDS)
    parallel.waitForAny(function()
        ok, problem = pcall(spec.body)
    end, function()
        sleep(SPEC_SECONDS)
    end)
    local result = { name = spec.name, ok = ok, ms = os.epoch("utc") - started }
    if not ok then
        result.error = tostring(problem)
    end
    return result
end

local function read_arguments(words)
    local options = { results = DEFAULT_RESULTS, shutdown = false, filters = {} }
    local index = 1
    while index <= #words do
        if words[index] == "--results" then
            options.results = words[index + 1] or DEFAULT_RESULTS
            index = index + 1
        elseif words[index] == "--shutdown" then
            options.shutdown = true
        else
            options.filters[#options.filters + 1] = words[index]
        end
        index = index + 1
    end
    return options
end

local function write_results(path, results, failed)
    local file = fs.open(path, "w")
    file.write(json.encode({
        host = tostring(_HOST),
        total = #results,
        passed = #results - failed,
        failed = failed,
        results = results,
    }))
    file.close()
end

local function main(options)
    local results, failed = {}, 0
    local directory = fs.getDir(shell.getRunningProgram())
    for _, path in ipairs(find(directory, {})) do
        for _, spec in ipairs(collect(path)) do
            local name = path:match("spec/(.*)_spec%.lua$") .. ": " .. spec.name
            if selected(name, options.filters) then
                spec.name = name
                local result = run(spec)
                results[#results + 1] = result
                if not result.ok then
                    failed = failed + 1
                    printError(("FAILED %s\n  %s"):format(name, result.error))
                end
            end
        end
    end
    write_results(options.results, results, failed)
    print(("%d specs, %d passed, %d failed"):format(#results, #results - failed, failed))
    return #results == 0 and 2 or failed > 0 and 1 or 0
end

local options = read_arguments({ ... })
garbage.ease()
local ok, code = pcall(main, options)
garbage.restore()
if not ok then
    printError(code)
    code = 2
end
if options.shutdown then
    os.shutdown(code)
elseif code ~= 0 then
    error("", 0)
end
