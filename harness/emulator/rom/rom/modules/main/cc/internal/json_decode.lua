-- cc.internal.json_decode: JSON text as values, for textutils.unserializeJSON.
--
-- Lists and objects that are not complete wait on a stack, so text that is nested deeply
-- needs no deep calls. What is wrong with a text is returned, not raised.

local byte, find, match, sub = string.byte, string.find, string.match, string.sub

local QUOTE, APOSTROPHE, BACKSLASH = byte("\"'\\", 1, 3)
local COMMA, COLON, MINUS, ZERO, NINE = byte(",:-09", 1, 5)
local LIST, LIST_END, OBJECT, OBJECT_END = byte("[]{}", 1, 4)

local BLANK = { [byte(" ")] = true, [byte("\t")] = true, [byte("\n")] = true, [byte("\r")] = true }

local ESCAPES =
    { ["\""] = "\"", ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

-- What is taken for a number, which may still be none: `1-2` is a malformed number.
local NUMBER = "^-?%d+%.?%d*[eE]?[+-]?%d*"

-- Where a string is interrupted, by the quote that ends it.
local INTERRUPTIONS = { [QUOTE] = "[\"\\%z\1-\31]", [APOSTROPHE] = "['\\%z\1-\31]" }

--- Says what is wrong, and where.
---@return string
local function problem(at, message, ...)
    return ("Malformed JSON at position %d: " .. message .. "."):format(at, ...)
end

--- Says what should have been at a place.
---@return string
local function wanted(text, at, what)
    local found = sub(text, at, at)
    if found == "" then return problem(at, "Unexpected end of input, expected %s", what) end
    return problem(at, "Unexpected %q, expected %s", found, what)
end

--- Goes past blanks.
---@return number at
---@return number|nil mark the byte there, if the text goes on
local function skip(text, at)
    local mark = byte(text, at)
    if not BLANK[mark] then return at, mark end
    at = find(text, "[^ \t\n\r]", at + 1) or #text + 1
    return at, byte(text, at)
end

--- Reads the escape at a backslash.
---@return string|nil characters
---@return number|string past or what is wrong
local function read_escape(text, at)
    local letter = sub(text, at + 1, at + 1)
    if letter == "u" then
        local digits = sub(text, at + 2, at + 5)
        if not find(digits, "^%x%x%x%x$") then return nil, problem(at, "Malformed unicode escape %q", digits) end
        return utf8.char(tonumber(digits, 16)), at + 6
    elseif letter == "" then
        return nil, problem(at, "Unexpected end of input, expected escape sequence")
    end
    local meant = ESCAPES[letter]
    if not meant then return nil, problem(at + 1, "Unknown escape character %q", letter) end
    return meant, at + 2
end

--- Reads the string whose opening quote is at a place.
---@return string|nil string
---@return number|string past or what is wrong
local function read_string(text, at, quote)
    local interruption = INTERRUPTIONS[quote]
    local from = at + 1
    local stop = find(text, interruption, from)
    local mark = byte(text, stop or #text + 1)
    -- Most strings have no escapes.
    if mark == quote then return sub(text, from, stop - 1), stop + 1 end

    local parts = {}
    while mark == BACKSLASH do
        parts[#parts + 1] = sub(text, from, stop - 1)
        local characters, past = read_escape(text, stop)
        if not characters then return nil, past end
        parts[#parts + 1] = characters
        from = past
        stop = find(text, interruption, from)
        mark = byte(text, stop or #text + 1)
    end
    if not mark then return nil, problem(#text + 1, "Unexpected end of input, expected '\"'") end
    if mark ~= quote then return nil, problem(stop + 1, "Unescaped whitespace %q", string.char(mark)) end
    parts[#parts + 1] = sub(text, from, stop - 1)
    return table.concat(parts), stop + 1
end

--- Reads the name of a member and its colon.
---@return string|nil name
---@return number|string past or what is wrong
local function read_name(text, at, bare_names)
    local name, past, mark
    at, mark = skip(text, at)
    if mark == QUOTE then
        name, past = read_string(text, at, QUOTE)
        if not name then return nil, past end
    else
        name = bare_names and match(text, "^%a[%w_]*", at)
        if not name then return nil, wanted(text, at, "object key") end
        past = at + #name
    end
    past, mark = skip(text, past)
    if mark ~= COLON then return nil, wanted(text, past, "':'") end
    return name, past + 1
end

--- Reads what is neither a list nor an object.
---@return boolean ok
---@return any value or what is wrong
---@return number|nil past
local function read_scalar(text, at, mark, options)
    if mark == QUOTE or mark == APOSTROPHE and options.nbt_style then
        local string, past = read_string(text, at, mark)
        if not string then return false, past end
        return true, string, past
    elseif mark == MINUS or mark and mark >= ZERO and mark <= NINE then
        local digits = match(text, NUMBER, at)
        local number = digits and tonumber(digits)
        -- `%q` of nothing is `nil`.
        if not number then return false, problem(at, "Malformed number %s", digits and ("%q"):format(digits) or "nil") end
        local past = at + #digits
        -- The letter says how many bytes the game needs for the number.
        if options.nbt_style and find(text, "^[bBsSlLfFdD]", past) then past = past + 1 end
        return true, number, past
    elseif sub(text, at, at + 3) == "true" then
        return true, true, at + 4
    elseif sub(text, at, at + 4) == "false" then
        return true, false, at + 5
    elseif sub(text, at, at + 3) == "null" then
        return true, options.parse_null and options.null or nil, at + 4
    elseif not mark then
        return false, problem(at, "Unexpected end of input")
    end
    return false, problem(at, "Unexpected character %q", sub(text, at, at))
end

--- Reads JSON.
---@param text string
---@param options { nbt_style?: boolean, parse_null?: boolean, parse_empty_array?: boolean, empty_array: table, null: table }
---@return any value
---@return string|nil problem
local function decode(text, options)
    local nbt_style = options.nbt_style
    -- The list or object that is being filled, where in it the next value goes (a number in a
    -- list, a name in an object), and the same for those around it.
    local holder, place
    local holders, places, depth = {}, {}, 0
    local at, mark = skip(text, 1)
    while true do
        local value, opened
        if mark == LIST then
            local past = nbt_style and match(text, "^[ \t\n\r]*[BIL];()", at + 1) or at + 1
            at, mark = skip(text, past)
            if mark == LIST_END then
                value = options.parse_empty_array == false and {} or options.empty_array
                at = at + 1
            elseif not mark then
                return nil, wanted(text, at, "']'")
            else
                opened = 1
            end
        elseif mark == OBJECT then
            at, mark = skip(text, at + 1)
            if mark == OBJECT_END then
                value = {}
                at = at + 1
            elseif not mark then
                return nil, wanted(text, at, "'}'")
            else
                opened, at = read_name(text, at, nbt_style)
                if not opened then return nil, at end
                at, mark = skip(text, at)
            end
        else
            local ok
            ok, value, at = read_scalar(text, at, mark, options)
            if not ok then return nil, value end
        end

        if opened then
            depth = depth + 1
            holders[depth], places[depth] = holder, place
            holder, place = {}, opened
        else
            -- A value may complete what holds it, and so on outwards.
            at, mark = skip(text, at)
            while depth > 0 do
                holder[place] = value
                local in_list = type(place) == "number"
                if mark == COMMA then
                    if in_list then
                        place = place + 1
                        at, mark = skip(text, at + 1)
                    else
                        place, at = read_name(text, at + 1, nbt_style)
                        if not place then return nil, at end
                        at, mark = skip(text, at)
                    end
                    break
                elseif mark ~= (in_list and LIST_END or OBJECT_END) then
                    return nil, wanted(text, at, in_list and "',' or ']'" or "',' or '}'")
                end
                value = holder
                holder, place = holders[depth], places[depth]
                depth = depth - 1
                at, mark = skip(text, at + 1)
            end
            if depth == 0 then
                if mark then return nil, problem(at, "Unexpected trailing character %q", sub(text, at, at)) end
                return value
            end
        end
    end
end

return decode
