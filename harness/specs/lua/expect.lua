-- `expect(value):eq(other)`: expectations as CC:Tweaked's own specs write them, and a few more.

local part = ...
local failures = part("failures")
local spies = part("spies")
local values = part("values")

local fail, show, show_all = failures.fail, values.show, values.show_all
local pack, pcall, setmetatable, tostring, type = table.pack, pcall, setmetatable, tostring, type
local find = string.find

local Expectation = {}
Expectation.__index = Expectation

---Fails with what was expected and what is there.
local function differ(expectation, expected, message)
    local shown = show(expectation.value)
    local about = expectation.about and expectation.about .. ": " or ""
    fail(about .. (message or "the values differ"), { expected = expected, actual = shown })
end

---Fails unless the value is the other, by `==`.
function Expectation:eq(other)
    if self.value ~= other and (self.bare == nil or self.bare ~= other) then
        differ(self, show(other))
    end
    return self
end
Expectation.equals = Expectation.eq
Expectation.equal = Expectation.eq

---Fails if the value is the other, by `==`.
function Expectation:ne(other)
    if self.value == other then
        differ(self, "anything but " .. show(other))
    end
    return self
end
Expectation.not_equals = Expectation.ne

---Fails unless the value is like the other, tables entry by entry.
function Expectation:same(other)
    if not values.same(self.value, other) then
        differ(self, show(other))
    end
    return self
end

---Fails unless the value has everything that a pattern has; it may have more.
function Expectation:matches(pattern)
    if not values.has(self.value, pattern) then
        differ(self, show(pattern), "the value does not have what it should")
    end
    return self
end

---Fails unless the value is of a type.
function Expectation:type(name)
    if type(self.value) ~= name then
        differ(self, "a value of type " .. tostring(name))
    end
    return self
end

---Fails unless the value is a text that matches a Lua pattern.
function Expectation:str_match(pattern)
    if type(self.value) ~= "string" or not find(self.value, pattern) then
        differ(self, "a text that matches " .. show(pattern))
    end
    return self
end

---Fails unless the value is a text with this one in it.
function Expectation:contains(text)
    if type(self.value) ~= "string" or not find(self.value, text, 1, true) then
        differ(self, "a text with this in it: " .. show(text))
    end
    return self
end

---Fails unless the value lies between two others.
function Expectation:between(least, most)
    if type(self.value) ~= "number" or not (self.value >= least and self.value <= most) then
        differ(self, ("a number from %s to %s"):format(show(least), show(most)))
    end
    return self
end

---Fails unless the function throws an error whose text matches a Lua pattern.
function Expectation:throws(pattern)
    local ok, thrown = pcall(self.value)
    if ok or (pattern and not find(tostring(thrown), pattern)) then
        local actual = ok and "no error" or show(thrown)
        local expected = pattern and "an error that matches " .. show(pattern) or "an error"
        fail("the function did not throw what it should", { expected = expected, actual = actual })
    end
    return self
end

local function spy_of(expectation)
    local spy = spies.of(expectation.value)
    if not spy then
        fail("only a spy or a stub knows how it was called, not " .. show(expectation.value))
    end
    return spy
end

local function show_calls(spy)
    local lines = {}
    for index, call in ipairs(spy.calls) do
        lines[index] = "(" .. show_all(call.arguments) .. ")"
    end
    return #lines == 0 and "no call" or table.concat(lines, "\n")
end

---Fails unless the stub was called, or called so many times.
function Expectation:called(times)
    local spy = spy_of(self)
    if (times and #spy.calls ~= times) or (not times and #spy.calls == 0) then
        local expected = times and ("%d calls"):format(times) or "a call"
        fail("the stub was not called as it should", { expected = expected, actual = show_calls(spy) })
    end
    return self
end

local function called_with(expectation, is_alike, ...)
    local spy, arguments = spy_of(expectation), pack(...)
    if spies.calls_with(spy, arguments, is_alike) == 0 then
        local expected = "(" .. show_all(arguments) .. ")"
        fail("the stub was not called with these values", { expected = expected, actual = show_calls(spy) })
    end
    return expectation
end

---Fails unless the stub was called with values like these.
function Expectation:called_with(...)
    return called_with(self, values.same, ...)
end

---Fails unless the stub was called with values that have everything that these have.
function Expectation:called_with_matching(...)
    return called_with(self, values.has, ...)
end

---Says what the value is, for the message of a failure.
function Expectation:describe(about)
    self.about = tostring(about)
    return self
end

local function new(value)
    return setmetatable({ value = value }, Expectation)
end

local expect = {}

---Calls a function that has to throw, and gives an expectation about what it threw.
function expect.error(body, ...)
    local ok, thrown = pcall(body, ...)
    if ok then
        fail("the function did not throw", { expected = "an error", actual = "no error" })
    end
    local expectation = new(thrown)
    -- The position that `error` puts before its text may be left out.
    if type(thrown) == "string" then
        expectation.bare = thrown:gsub("^[^\n:]+:%d+: ", "")
    end
    return expectation
end

return setmetatable(expect, {
    __call = function(_, value)
        return new(value)
    end,
})
