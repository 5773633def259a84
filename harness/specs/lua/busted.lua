-- `assert.are.equal(1, 1)`: assertions as busted has them. Words such as `are` and `has` say nothing, `not` and its
-- like turn an assertion round, and what is left names it; dots and underscores part the words alike.

local part = ...
local failures = part("failures")
local spies = part("spies")
local values = part("values")

local fail, show, show_all = failures.fail, values.show, values.show_all
local pack, unpack, pcall, select, setmetatable = table.pack, table.unpack, pcall, select, setmetatable
local type, tostring, abs, gmatch, find, concat =
    type, tostring, math.abs, string.gmatch, string.find, table.concat
local error, rawequal, ipairs = error, rawequal, ipairs

local function set(words)
    local found = {}
    for word in gmatch(words, "%a+") do
        found[word] = true
    end
    return found
end

local FILLERS = set("are is has have was be been does to a an")
local NEGATIONS = set("not no isnt arent hasnt wasnt")

---Each gives whether it holds, and how expected and actual are shown.
local checks = {}

function checks.equal(expected, actual)
    return expected == actual, show(expected), show(actual)
end

function checks.same(expected, actual)
    return values.same(expected, actual), show(expected), show(actual)
end

function checks.rawequal(expected, actual)
    return rawequal(expected, actual), show(expected), show(actual)
end

function checks.near(expected, actual, tolerance)
    local is_near = type(actual) == "number" and abs(expected - actual) <= tolerance
    return is_near, ("%s, give or take %s"):format(show(expected), show(tolerance)), show(actual)
end

function checks.matches(pattern, actual, from, plain)
    local is_match = type(actual) == "string" and find(actual, pattern, from, plain) ~= nil
    return is_match, "a text that matches " .. show(pattern), show(actual)
end

function checks.truthy(actual)
    return actual and true or false, "a value that counts as true", show(actual)
end

function checks.falsy(actual)
    return not actual, "nil or false", show(actual)
end

checks["true"] = function(actual)
    return actual == true, "true", show(actual)
end

checks["false"] = function(actual)
    return actual == false, "false", show(actual)
end

for _, kind in ipairs({ "nil", "boolean", "number", "string", "table", "function", "thread" }) do
    checks[kind] = function(actual)
        return type(actual) == kind, "a value of type " .. kind, show(actual)
    end
end

function checks.callable(actual)
    local metatable = type(actual) == "table" and getmetatable(actual)
    return type(actual) == "function" or (metatable and metatable.__call ~= nil), "a function", show(actual)
end

local function without_position(thrown)
    return type(thrown) == "string" and (thrown:gsub("^[^\n:]+:%d+: ", "")) or thrown
end

function checks.error(body, expected)
    local ok, thrown = pcall(body)
    local wanted = expected == nil and "an error" or "the error " .. show(expected)
    if ok then
        return false, wanted, "no error"
    end
    local is_alike = expected == nil
        or values.same(thrown, expected)
        or values.same(without_position(thrown), expected)
    return is_alike, wanted, "the error " .. show(thrown)
end

function checks.error_matches(body, pattern, from, plain)
    local ok, thrown = pcall(body)
    local wanted = "an error that matches " .. show(pattern)
    if ok then
        return false, wanted, "no error"
    end
    return find(tostring(thrown), pattern, from, plain) ~= nil, wanted, "the error " .. show(thrown)
end

function checks.unique(list, is_deep)
    local alike = is_deep and values.same or rawequal
    for first = 1, #list do
        for second = first + 1, #list do
            if alike(list[first], list[second]) then
                return false, "entries that all differ", show(list)
            end
        end
    end
    return true, "entries that repeat", show(list)
end

function checks.returned_arguments(expected, ...)
    local count = select("#", ...)
    return count == expected, ("%d values"):format(expected), ("%d values"):format(count)
end

local SAME_AS = {
    equals = "equal",
    equivalent = "same",
    match = "matches",
    errors = "error",
    error_match = "error_matches",
    errors_match = "error_matches",
    matches_error = "error_matches",
    ["function"] = "function",
}

-- ---- spies -------------------------------------------------------------------------------------

local spy_checks = {}

function spy_checks.called(spy, times)
    local expected = times and ("%d calls"):format(times) or "a call"
    local holds = times and #spy.calls == times or (not times and #spy.calls > 0)
    return holds, expected, ("%d calls"):format(#spy.calls)
end

function spy_checks.called_at_least(spy, times)
    return #spy.calls >= times, ("%d calls or more"):format(times), ("%d calls"):format(#spy.calls)
end

function spy_checks.called_at_most(spy, times)
    return #spy.calls <= times, ("%d calls or fewer"):format(times), ("%d calls"):format(#spy.calls)
end

function spy_checks.called_with(spy, ...)
    local arguments = pack(...)
    local lines = {}
    for index, call in ipairs(spy.calls) do
        lines[index] = "(" .. show_all(call.arguments) .. ")"
    end
    local actual = #lines == 0 and "no call" or concat(lines, "\n")
    return spies.calls_with(spy, arguments, values.same) > 0, "(" .. show_all(arguments) .. ")", actual
end

function spy_checks.returned_with(spy, ...)
    local wanted = pack(...)
    for _, call in ipairs(spy.calls) do
        if values.same(call.results, wanted) then
            return true, show_all(wanted), show_all(wanted)
        end
    end
    return false, "a call that returns " .. show_all(wanted), "none"
end

-- ---- words -------------------------------------------------------------------------------------

---Reads the words of an assertion: what it checks, and whether it is turned round.
local function read(words, known)
    local named, negated = {}, false
    for _, word in ipairs(words) do
        if NEGATIONS[word] then
            negated = not negated
        elseif #named > 0 or not FILLERS[word] then
            named[#named + 1] = word
        end
    end
    local name = concat(named, "_")
    name = known[name] and name or SAME_AS[name] or name
    return known[name], negated, name
end

local function judge(check, negated, name, subject, ...)
    local results
    if subject then
        results = pack(check(subject, ...))
    else
        results = pack(check(...))
    end
    local holds, expected, actual = unpack(results, 1, 3)
    if (holds and true or false) == negated then
        local turned = negated and "not " .. expected or expected
        fail(
            "assertion failed: " .. (negated and "not " or "") .. name,
            { expected = turned, actual = actual }
        )
    end
    return ...
end

local function chain(words, known, subject)
    return setmetatable({}, {
        __index = function(_, key)
            local more = { unpack(words) }
            for word in gmatch(tostring(key), "[^_]+") do
                more[#more + 1] = word
            end
            return chain(more, known, subject)
        end,
        __call = function(_, ...)
            local check, negated, name = read(words, known)
            if not check then
                error(("there is no assertion `%s`"):format(name), 2)
            end
            return judge(check, negated, name, subject, ...)
        end,
    })
end

local function about_spy(value)
    local spy = spies.of(value)
    if not spy then
        error("only a spy or a stub knows how it was called", 2)
    end
    return chain({}, spy_checks, spy)
end

local assertions = {}

---Also what Lua's own `assert` does.
local function plain_assert(_, value, message, ...)
    if value then
        return value, message, ...
    end
    if message == nil then
        fail("assertion failed!")
    elseif type(message) == "string" then
        fail(message)
    end
    error(message, 0)
end

return {
    assert = setmetatable(assertions, {
        __call = plain_assert,
        __index = function(_, key)
            if key == "spy" or key == "stub" then
                return about_spy
            end
            return chain({}, checks)[key]
        end,
    }),
    spy = setmetatable({ new = spies.new, on = spies.on }, {
        __call = function(_, body)
            return spies.new(body)
        end,
    }),
    stub = setmetatable({ new = spies.stub }, {
        __call = function(_, object, key, ...)
            return spies.stub(object, key, ...)
        end,
    }),
}
