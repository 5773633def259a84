-- What Cobalt's own runner gives to its files.
function assertEquals(expected, found)
    if expected ~= found and not (expected ~= expected and found ~= found) then
        error(("expected %s, got %s"):format(tostring(expected), tostring(found)), 2)
    end
end

-- Runs a function as a coroutine; what it yields comes back to it.
function run(body)
    local thread = coroutine.create(body)
    local values = table.pack(coroutine.resume(thread))
    while values[1] and coroutine.status(thread) ~= "dead" do
        values = table.pack(coroutine.resume(thread, table.unpack(values, 2, values.n)))
    end
    if not values[1] then
        error(values[2], 0)
    end
end

-- The specs: each test runs where it stands, as a coroutine, and may fail without ending the others. What is marked as not for
-- Cobalt does not run.
FAILURES, TESTS = {}, 0
local depth = {}
function describe(name, body)
    depth[#depth + 1] = name
    if not name:find(":!cobalt", 1, true) then
        body()
    end
    depth[#depth] = nil
end

function it(name, body)
    if name:find(":!cobalt", 1, true) then
        return
    end
    TESTS = TESTS + 1
    local thread = coroutine.create(body)
    local ok, message = coroutine.resume(thread)
    if ok and coroutine.status(thread) ~= "dead" then
        ok, message = false, "it has yielded"
    end
    if not ok then
        local line = debug.getinfo(body, "S").linedefined
        FAILURES[#FAILURES + 1] = ("line %d, %s %s: %s"):format(line, table.concat(depth, " "), name, tostring(message))
    end
end

function pending() end

fail = error
if read("_prelude.lua") then
    assert(load(read("_prelude.lua"), "@_prelude.lua"))()
end
