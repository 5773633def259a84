-- Other computers, which a test starts: the host boots them in the emulator's process of this one, so that they hear
-- each other's modems. Whatever the test wants of them, it asks the host for.

local part = ...
local failures = part("failures")
local pauses = part("pauses")
local report = part("report")
local typing = part("typing")
local expect = require("cc.expect").expect

local setmetatable, tostring, type, error, ipairs, pairs = setmetatable, tostring, type, error, ipairs, pairs
local concat, load_code, now, open_file = table.concat, load, os.epoch, fs.open
local call_peripheral, pcall = peripheral.call, pcall

local ANSWER = "/.harness/specs/answer"

-- How often the host's answer is looked for: as often as computers look for what they are asked.
local LOOK_S = 0.05

-- A program that draws after a timer of its own has this long, unless the test says otherwise.
local PATIENCE_S = 5

-- What a test can say of a computer, and of which type it is.
local KEYS = {
    id = "number",
    label = "string",
    program = "string",
    arguments = "table",
    files = "table",
    settings = "table",
    peripherals = "table",
    project = "boolean",
}

-- Those that the test has started and that may still run.
local running = {}
-- The number of the last question.
local asked = 0

local function read_answer()
    local file = open_file(ANSWER, "rb")
    if not file then
        return nil
    end
    local code = file.readAll() or ""
    file.close()
    local chunk = load_code(code, "=answer", "t", {})
    return chunk and chunk()
end

---Asks the host for something and waits for its answer; fails the test where that is a refusal.
local function ask(question)
    asked = asked + 1
    question.number = asked
    report.current.write({ event = "ask", question = question })
    while true do
        local answer = read_answer()
        if answer and answer.number == asked then
            if answer.problem then
                failures.fail(answer.problem)
            end
            return answer
        end
        pauses.wait(LOOK_S)
    end
end

---Waits until a computer that was stopped is off: CraftOS-PC has it on for a moment after its last word.
local function await_off(id)
    local function is_on()
        local is_there, on = pcall(call_peripheral, "computer_" .. id, "isOn")
        return is_there and on == true
    end
    while is_on() do
        pauses.wait(LOOK_S)
    end
end

---@class OtherComputer another computer, as the person before it sees it
---@field id number
local OtherComputer = {}
OtherComputer.__index = OtherComputer

---Does something on it: its program has taken it when this returns.
function OtherComputer:act(action, question)
    question.action, question.id = action, self.id
    ask(question)
    return self
end

---Types a text; a newline is the Enter key.
function OtherComputer:type(text)
    expect(1, text, "string")
    return self:act("type", { text = text })
end

---Pastes a text.
function OtherComputer:paste(text)
    expect(1, text, "string")
    return self:act("paste", { text = text })
end

---Presses a key and lets it go: `computer:key(keys.up)`.
function OtherComputer:key(code)
    expect(1, code, "number")
    for name, known in pairs(typing.codes) do
        if known == code then
            return self:act("key", { text = name })
        end
    end
    error("key: expected one of `keys`, not " .. tostring(code), 2)
end

---Clicks at a place of its screen.
function OtherComputer:click(x, y, button)
    expect(1, x, "number")
    expect(2, y, "number")
    expect(3, button, "number", "nil")
    return self:act("click", { x = x, y = y, button = button or 1 })
end

---Turns the mouse wheel: 1 is down, -1 up.
function OtherComputer:scroll(direction, x, y)
    expect(1, direction, "number")
    return self:act("scroll", { direction = direction, x = x or 1, y = y or 1 })
end

---Queues an event on it, with texts, numbers, booleans and tables of them.
function OtherComputer:give(name, ...)
    expect(1, name, "string")
    return self:act("event", { text = name, values = { is_list = true, ... } })
end

---Turns it off, and on again with the files that it has.
function OtherComputer:reboot()
    return self:act("reboot", {})
end

---Turns it off.
function OtherComputer:stop()
    self:act("stop", {})
    await_off(self.id)
    running[self.id] = nil
    return self
end

---Gives how it ended, such as `exit 0`; nothing while it runs.
function OtherComputer:ended()
    return ask({ action = "look", id = self.id }).ended
end

---Gives everything that it has printed, also what was scrolled away.
function OtherComputer:printed()
    return ask({ action = "look", id = self.id }).printed
end

---Gives its screen as text: its lines without the spaces behind them.
function OtherComputer:screen()
    return ask({ action = "look", id = self.id }).screen
end

---Gives one line of its screen: its text, its text colours and its background colours, as `term.blit` takes them.
function OtherComputer:line(y)
    expect(1, y, "number")
    local line = ask({ action = "lines", id = self.id }).lines[y]
    if not line then
        error(("line: its screen has no line %d"):format(y), 2)
    end
    return line[1], line[2], line[3]
end

---Waits until something holds for how it looks: `condition` gets its screen, what it has printed, and how it ended.
---@param condition function
---@param seconds number|nil
function OtherComputer:wait(condition, seconds)
    expect(1, condition, "function")
    expect(2, seconds, "number", "nil")
    local patience = seconds or PATIENCE_S
    local until_time = now("utc") + patience * 1000
    while true do
        local seen = ask({ action = "look", id = self.id })
        if condition(seen.screen, seen.printed, seen.ended) then
            return self
        end
        local why
        if seen.ended then
            why = ("the computer %d ended before that: %s"):format(self.id, seen.ended)
        elseif now("utc") >= until_time then
            why = ("it did not happen on the computer %d within %s s"):format(self.id, patience)
        end
        if why then
            failures.fail(("%s; its screen is:\n%s"):format(why, seen.screen))
        end
    end
end

---Waits until its screen has a text.
function OtherComputer:shows(text, seconds)
    expect(1, text, "string")
    return self:wait(function(screen)
        return screen:find(text, 1, true) ~= nil
    end, seconds)
end

---Waits until its program has ended, which turns it off; fails where it ended with an error.
function OtherComputer:finish(seconds)
    local how
    self:wait(function(_, _, ended)
        how = ended
        return ended ~= nil
    end, seconds)
    running[self.id] = nil
    if how ~= "exit 0" then
        failures.fail(
            ("the computer %d ended with %s; its screen is:\n%s"):format(self.id, how, self:screen())
        )
    end
    return self
end

local function check_options(options)
    for key, value in pairs(options) do
        if not KEYS[key] then
            local names = {}
            for name in pairs(KEYS) do
                names[#names + 1] = name
            end
            table.sort(names)
            failures.fail(("computer: there is no `%s`\nhint: %s"):format(tostring(key), concat(names, ", ")))
        elseif type(value) ~= KEYS[key] then
            failures.fail(("computer: its `%s` must be a %s, not a %s"):format(key, KEYS[key], type(value)))
        end
    end
end

---Reads what scripts a peripheral, where it is a file of this computer.
local function read_peripherals(given)
    local list = { is_list = true }
    for name, what in pairs(given) do
        if type(name) ~= "string" or type(what) ~= "string" then
            failures.fail(
                'computer: `peripherals` is a table such as { top = "modem", left = "/devices/cell.lua" }'
            )
        end
        local entry = { name = name }
        if what:find("%.lua$") then
            local file, why = open_file(what, "r")
            if not file then
                failures.fail(("computer: failed to read %s: %s"):format(what, tostring(why)))
            end
            entry.code, entry.shown = file.readAll(), what
            file.close()
        else
            entry.emulated = what
        end
        list[#list + 1] = entry
    end
    return list
end

---Starts another computer, which runs until the test ends.
---@param options table
---@return OtherComputer
local function start(options)
    expect(1, options, "table", "nil")
    options = options or {}
    check_options(options)
    local arguments = { is_list = true }
    for index, argument in ipairs(options.arguments or {}) do
        arguments[index] = tostring(argument)
    end
    local settings = {}
    for name, value in pairs(options.settings or {}) do
        settings[name] = tostring(value)
    end
    local answer = ask({
        action = "start",
        id = options.id,
        label = options.label,
        program = options.program,
        arguments = arguments,
        files = options.files or {},
        settings = settings,
        peripherals = read_peripherals(options.peripherals or {}),
        project = options.project ~= false,
    })
    running[answer.id] = true
    return setmetatable({ id = answer.id }, OtherComputer)
end

---Turns off those that the test has started. What they do at their end is no matter of the test.
local function reset()
    for id in pairs(running) do
        running[id] = nil
        ask({ action = "forget", id = id })
        await_off(id)
    end
end

return { start = start, reset = reset }
