-- What a keyboard sends for a text, a key, and what a mouse sends: the events, in units that a person makes one by one.

local gmatch, lower = string.gmatch, string.lower

-- The keys of characters that are not named after themselves.
local NAMES = {
    [" "] = "space",
    ["\n"] = "enter",
    ["\t"] = "tab",
    ["0"] = "zero",
    ["1"] = "one",
    ["2"] = "two",
    ["3"] = "three",
    ["4"] = "four",
    ["5"] = "five",
    ["6"] = "six",
    ["7"] = "seven",
    ["8"] = "eight",
    ["9"] = "nine",
    ["-"] = "minus",
    ["="] = "equals",
    [","] = "comma",
    ["."] = "period",
    ["/"] = "slash",
    [";"] = "semiColon",
    ["'"] = "apostrophe",
    ["["] = "leftBracket",
    ["]"] = "rightBracket",
    ["\\"] = "backslash",
    ["`"] = "grave",
}

-- A spec may replace any global: what is needed later is kept.
local codes = {}
for name, code in pairs(keys) do
    codes[name] = code
end

---@class Unit what a person does at once
---@field what string how messages call it
---@field events table[]

---Gives what is sent for a text, a character each. A newline is the Enter key.
---@param text string
---@return Unit[]
local function text_units(text)
    local units = {}
    for character in gmatch(text, ".") do
        local code = codes[NAMES[character] or lower(character)]
        local is_shown = character ~= "\n" and character ~= "\t"
        local events = {}
        if code then
            events[1] = { "key", code, false, n = 3 }
        end
        if is_shown then
            events[#events + 1] = { "char", character, n = 2 }
        end
        if code then
            events[#events + 1] = { "key_up", code, n = 2 }
        end
        units[#units + 1] = { what = ("the character %q"):format(character), events = events }
    end
    return units
end

---Gives what is sent for a key that is pressed while others are held.
---@param code number
---@param held number[]
---@return Unit
local function key_unit(code, held)
    local events = {}
    for _, other in ipairs(held) do
        events[#events + 1] = { "key", other, false, n = 3 }
    end
    events[#events + 1] = { "key", code, false, n = 3 }
    events[#events + 1] = { "key_up", code, n = 2 }
    for index = #held, 1, -1 do
        events[#events + 1] = { "key_up", held[index], n = 2 }
    end
    return { what = "the key", events = events }
end

---Gives what is sent for a button that is pressed at a place, moved over others, and let go at the last.
---@param button number
---@param places number[][] each with its column and its line
---@return Unit
local function mouse_unit(button, places)
    local events = {}
    for index, place in ipairs(places) do
        local name = index == 1 and "mouse_click" or "mouse_drag"
        events[index] = { name, button, place[1], place[2], n = 4 }
    end
    local last = places[#places]
    events[#events + 1] = { "mouse_up", button, last[1], last[2], n = 4 }
    return { what = #places == 1 and "the click" or "the drag", events = events }
end

return { text = text_units, key = key_unit, mouse = mouse_unit, codes = codes }
