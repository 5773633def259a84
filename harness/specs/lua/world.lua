-- What a computer of a scenario meets: scripted peripherals, answered requests and WebSockets, with the parts that
-- specs have. It is the extension of the computer's boot: it runs before the program, adds commands of its own, and
-- sees every event before the program does.

local handlers = ...

local FOLDER = "/.harness/specs"

-- An event that only brings a problem to light.
local PROBLEM_EVENT = "craftos_test_problem"

-- What the scenario gives: `peripherals`, `http`, `websockets`, and `network`, the hosts that requests go out to.
local plan = dofile(FOLDER .. "/plan.lua")

local env = setmetatable({}, { __index = _ENV })
env.require, env.package = dofile("/rom/modules/main/cc/require.lua").make(env, "/")

local part = dofile(FOLDER .. "/parts.lua")(plan, env)

local failures = part("failures")
-- By name: scripted peripherals are devices, the emulator's own are its names for them.
local known, emulated = {}, {}
-- Those of the emulator that are there from the boot on: as in the game, the program gets no event of them.
local at_boot = {}

local function create(name, kind)
    if not periphemu then
        failures.fail("this emulator has no `periphemu`, which creates its own peripherals")
    end
    local ok, why = periphemu.create(name, kind)
    if not ok then
        failures.fail(("the emulator did not create a %s at %s: %s"):format(kind, name, tostring(why)))
    end
end

---Makes a scripted peripheral of what a file says.
local function make(name, code, shown, state)
    return part("peripherals").new(name, part("peripherals").read(code, shown), state)
end

for _, given in ipairs(plan.peripherals) do
    if given.emulated then
        emulated[given.name] = given.emulated
        if given.attached then
            create(given.name, given.emulated)
            at_boot[given.name] = true
        end
    else
        local device = make(given.name, given.code, given.shown, given.state)
        known[given.name] = device
        if given.attached then
            part("peripherals").check_free(given.name)
            device:attach(true)
        end
    end
end

---Leaves out the events of what was there before the program.
local function is_hidden(event)
    if event[1] == "peripheral" and at_boot[event[2]] then
        at_boot[event[2]] = nil
        return true
    end
    return false
end

function handlers.attach(name, code, shown)
    part("peripherals").check_free(name)
    if code then
        known[name] = make(name, code, shown)
    elseif emulated[name] then
        return create(name, emulated[name])
    elseif not known[name] then
        failures.fail(("the computer has no peripheral %s to attach"):format(name))
    end
    known[name]:attach()
end

function handlers.detach(name)
    if emulated[name] then
        if not peripheral.isPresent(name) or not periphemu.remove(name) then
            failures.fail(("detach: the peripheral %s is not attached"):format(name))
        end
    elseif known[name] then
        known[name]:detach()
    else
        failures.fail(("the computer has no peripheral %s"):format(name))
    end
end

---Changes a scripted peripheral: what it keeps, how it fails, and the event that it raises, in this order.
function handlers.peripheral(name, change)
    local device = known[name]
    if not device then
        failures.fail(("the computer has no scripted peripheral %s"):format(name))
    end
    for key, value in pairs(change.state or {}) do
        device.state[key] = value
    end
    if change.mend then
        if not device.failing[change.mend] then
            failures.fail(("mend: the method %s of %s does not fail"):format(change.mend, name))
        end
        device:mend(change.mend)
    end
    if change.fail then
        device:fail(change.fail.method, change.fail.message, change.fail.times)
    end
    if change.event then
        if not device:is_attached() then
            failures.fail(("the peripheral %s is not attached: it raises no event"):format(name))
        end
        device:queue(change.event, table.unpack(change.values, 1, change.count))
    end
end

if not plan.http then
    return function(event)
        return not is_hidden(event) and event or nil
    end
end

local network, stubs = part("network"), part("stubs")
for _, given in ipairs(plan.http) do
    network.http(given.url, given.answer)
end
for _, given in ipairs(plan.websockets) do
    network.websocket(given.url, given.script)
end
stubs.on_failure(function()
    os.queueEvent(PROBLEM_EVENT)
end)

return function(event)
    local problem = stubs.take_problem()
    if problem then
        return nil, problem
    elseif event[1] == PROBLEM_EVENT or is_hidden(event) then
        return nil
    end
    return stubs.arrive(event)
end
