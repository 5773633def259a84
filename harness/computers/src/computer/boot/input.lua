-- Types, clicks and scrolls as the person before the computer. The program gets these events one after the other,
-- before those of its queue, and the command is done when it has taken them: what it does not wait for is refused.

local typing, commands = ...

local input = {}

-- The command that is being done: its id, its units, and how far it is.
local current

local function refuse(reason)
    error({ refused = reason }, 0)
end

local function check_place(x, y)
    local width, height = term.getSize()
    if x < 1 or y < 1 or x > width or y > height then
        refuse(("there is no place %d, %d: the screen has %d by %d characters"):format(x, y, width, height))
    end
end

local function code_of(name)
    return typing.codes[name] or refuse(("there is no key `%s`"):format(name))
end

--- Commands that are done later: each gives its units.
local makers = {}

function makers.type(text)
    return typing.text(text)
end

function makers.paste(text)
    return { { what = "the paste", events = { { "paste", text, n = 2 } } } }
end

function makers.key(name, held)
    local codes = {}
    for index, other in ipairs(held) do
        codes[index] = code_of(other)
    end
    return { typing.key(code_of(name), codes) }
end

function makers.mouse(button, places)
    for _, place in ipairs(places) do
        check_place(place[1], place[2])
    end
    return { typing.mouse(button, places) }
end

function makers.scroll(direction, x, y)
    check_place(x, y)
    return { { what = "the scroll", events = { { "mouse_scroll", direction, x, y, n = 4 } } } }
end

for name, maker in pairs(makers) do
    commands.handlers[name] = function(...)
        local units = maker(...)
        local function begin(answer)
            current = { answer = answer, units = units, unit = 1, event = 0, is_taken = false }
        end
        return nil, nil, begin
    end
end

--- Gives the next event of a command that is being done; nothing where there is none.
---@return table|nil
function input.next()
    if current then
        current.event = current.event + 1
        return current.units[current.unit].events[current.event]
    end
end

local function settle(word, text)
    local answer = current.answer
    current = nil
    answer(word, text)
end

--- Notes what became of the last event that was given.
---@param is_taken boolean
---@param waits_for string|nil the event that the program waits for
function input.given(is_taken, waits_for)
    if not current then
        return
    end
    current.is_taken = current.is_taken or is_taken
    local unit = current.units[current.unit]
    if current.event < #unit.events then
        return
    end
    if not current.is_taken then
        local message = "the program did not take %s: it waits for `%s`"
        settle("refused", message:format(unit.what, tostring(waits_for)))
    elseif current.unit == #current.units then
        settle("done")
    else
        current.unit, current.event, current.is_taken = current.unit + 1, 0, false
    end
end

--- Notes that the program has ended, or turns the computer off: it takes nothing any more. That a key is let go matters
--- to nobody by then.
function input.ended()
    if not current then
        return
    elseif current.unit == #current.units then
        return settle("done")
    end
    local unit = current.units[current.unit + 1]
    settle("refused", ("the program ended before it took %s"):format(unit.what))
end

return input
