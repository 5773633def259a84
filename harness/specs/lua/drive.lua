-- `require("craftos.test")`: runs a program on a screen of its own and acts as the person before it.

local part = ...
local failures = part("failures")
local computers = part("computers")
local network = part("network")
local peripherals = part("peripherals")
local typing = part("typing")

local create, resume, status, yield = coroutine.create, coroutine.resume, coroutine.status, coroutine.yield
local pack, unpack, concat = table.pack, table.unpack, table.concat
local setmetatable, tostring, type, error, ipairs = setmetatable, tostring, type, error, ipairs
local start_timer = os.startTimer
local redirect, current_terminal = term.redirect, term.current
local new_window = window.create

-- A program that draws after a timer of its own has this long, unless the test says otherwise.
local PATIENCE_S = 5

-- The size of a computer's screen in the game.
local WIDTH, HEIGHT = 51, 19

-- The program that the test started last.
local latest

---@class Program
---@field private thread thread
---@field private filter string|nil
local Program = {}
Program.__index = Program

---Hands an event to the program, if it waits for that.
function Program:give(...)
    local event = pack(...)
    if status(self.thread) == "dead" then
        return self
    elseif self.filter ~= nil and event[1] ~= self.filter and event[1] ~= "terminate" and event.n > 0 then
        return self
    end
    local outer = redirect(self.terminal)
    local ok, result = resume(self.thread, unpack(event, 1, event.n))
    self.terminal = redirect(outer)
    if not ok then
        self.problem = result
    end
    self.filter = result
    return self
end

---Hands over what a person does.
function Program:do_units(units)
    for _, unit in ipairs(units) do
        for _, event in ipairs(unit.events) do
            self:give(unpack(event, 1, event.n))
        end
    end
    return self
end

---Types a text, a character at a time; a newline is the Enter key.
function Program:type(text)
    return self:do_units(typing.text(tostring(text)))
end

---Presses a key and lets it go: `program:key(keys.up)`.
function Program:key(code)
    if type(code) ~= "number" then
        error("key: expected one of `keys`, not " .. tostring(code), 2)
    end
    return self:do_units({ typing.key(code, {}) })
end

---Pastes a text.
function Program:paste(text)
    return self:give("paste", text)
end

---Clicks at a place of the screen.
function Program:click(x, y, button)
    return self:do_units({ typing.mouse(button or 1, { { x, y } }) })
end

---Presses a button at the first place, moves over the others, and lets it go at the last:
---`drag({ { 1, 2 }, { 3, 2 } })`.
function Program:drag(places, button)
    return self:do_units({ typing.mouse(button or 1, places) })
end

---Turns the mouse wheel: 1 is down, -1 up.
function Program:scroll(direction, x, y)
    return self:give("mouse_scroll", direction, x or 1, y or 1)
end

---Sends Ctrl+T.
function Program:terminate()
    return self:give("terminate")
end

---Says whether the program still runs.
function Program:is_running()
    return status(self.thread) ~= "dead"
end

---Gives the screen as text: its lines without the spaces behind them.
function Program:screen()
    local lines, last = {}, 0
    for y = 1, self.height do
        lines[y] = (self.window.getLine(y):gsub("%s+$", ""))
        if lines[y] ~= "" then
            last = y
        end
    end
    return concat(lines, "\n", 1, last)
end

---Gives one line of the screen: its text, its text colours and its background colours, as `term.blit` takes them.
function Program:line(y)
    return self.window.getLine(y)
end

---Gives what is at a place: the character, its text colour and its background colour.
function Program:at(x, y)
    local text, colours_of_text, backgrounds = self.window.getLine(y)
    local function colour(digits)
        return 2 ^ tonumber(digits:sub(x, x), 16)
    end
    return text:sub(x, x), colour(colours_of_text), colour(backgrounds)
end

---Waits until something holds; meanwhile the program gets the events that it waits for.
---@param condition function
---@param seconds number|nil
function Program:wait(condition, seconds)
    local patience = seconds or PATIENCE_S
    -- The timer alone decides: it may come a little before the calendar says so, and it comes once.
    local timer, is_over = start_timer(patience), false
    while not condition(self) do
        if self.problem then
            failures.fail("the program failed while it was waited for: " .. tostring(self.problem))
        elseif is_over then
            failures.fail(
                ("it did not happen within %s s; the screen is:\n%s"):format(patience, self:screen())
            )
        end
        local event = pack(yield())
        if event[1] == "timer" and event[2] == timer then
            is_over = true
        else
            self:give(unpack(event, 1, event.n))
        end
    end
    return self
end

---Waits until the screen has a text.
function Program:shows(text, seconds)
    return self:wait(function()
        return self:screen():find(text, 1, true) ~= nil
    end, seconds)
end

---Waits until the program has ended; fails where it ended with an error.
function Program:finish(seconds)
    self:wait(function()
        return status(self.thread) == "dead"
    end, seconds)
    if self.problem then
        failures.fail("the program failed: " .. tostring(self.problem))
    end
    return self
end

---Makes the module for one spec.
local function new(env)
    local driver = {}

    ---Starts a function, or a program by its path, on a screen of its own.
    function driver.start(program, ...)
        local arguments = pack(...)
        local body = program
        if type(program) ~= "function" then
            body = function()
                local ok = env.shell.execute and env.shell.execute(program, unpack(arguments, 1, arguments.n))
                    or env.shell.run(program, unpack(arguments, 1, arguments.n))
                if not ok then
                    error("the program " .. program .. " ended with an error", 0)
                end
            end
        end
        local screen = new_window(current_terminal(), 1, 1, WIDTH, HEIGHT, false)
        local started = setmetatable({
            thread = create(body),
            window = screen,
            terminal = screen,
            height = HEIGHT,
        }, Program)
        latest = started
        if type(program) == "function" then
            return started:give(unpack(arguments, 1, arguments.n))
        end
        return started:give()
    end

    ---Types a text for whatever reads next, without a program that was started here.
    function driver.queue_text(text)
        for character in tostring(text):gmatch(".") do
            if character == "\n" then
                os.queueEvent("key", keys.enter, false)
            else
                os.queueEvent("char", character)
            end
        end
    end

    driver.attach, driver.modem = peripherals.attach, peripherals.modem
    driver.http, driver.websocket = network.http, network.websocket
    driver.computer, driver.emulated = computers.start, peripherals.emulated
    return driver
end

---Gives the screen of the program that the test started last, and forgets it.
local function last_screen()
    local program = latest
    latest = nil
    return program and program:screen() or nil
end

return { new = new, last_screen = last_screen }
