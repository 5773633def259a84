-- `textutils.serialize` for tables of any size. The game's own joins its text anew for each entry, which takes
-- minutes for a million of them; this one writes the same text in pieces, pauses, and stops at a limit.

-- Below these figures the game's own is quick, and is asked: its text is the definition.
local SMALL_ENTRIES = 1000
local SMALL_BYTES = 32 * 1024

-- Pieces between two calls of `pause`: some milliseconds of work.
local PIECES_PER_PAUSE = 4096

local KEYWORDS = {}
for word in
    ([[and break do else elseif end false for function if in local nil not or repeat return then true
    until while]]):gmatch("%a+")
do
    KEYWORDS[word] = true
end

---Counts entries and bytes of strings, and gives up as soon as the value is not small.
local function is_small(value)
    local entries, bytes = 0, 0
    local seen = {}
    local function walk(item)
        if type(item) == "string" then
            bytes = bytes + #item
        elseif type(item) == "table" and not seen[item] then
            seen[item] = true
            for key, entry in next, item do
                entries = entries + 1
                if not walk(key) or not walk(entry) then
                    return false
                end
            end
        end
        return entries <= SMALL_ENTRIES and bytes <= SMALL_BYTES
    end
    return walk(value)
end

local function scalar(value)
    local kind = type(value)
    if kind == "string" then
        return ("%q"):format(value)
    elseif kind == "number" then
        if value ~= value then
            return "0/0"
        elseif value == math.huge then
            return "1/0"
        elseif value == -math.huge then
            return "-1/0"
        end
        return tostring(value)
    elseif kind == "boolean" or kind == "nil" then
        return tostring(value)
    end
    error("Cannot serialize type " .. kind, 0)
end

---Writes a large value, up to `most` bytes.
local function serialize_large(value, most, pause)
    local blocks, pieces, count, bytes = {}, {}, 0, 0
    local full = {}
    local tracking = {}

    local function put(piece)
        count = count + 1
        pieces[count] = piece
        bytes = bytes + #piece
        if bytes > most then
            error(full, 0)
        end
        if count == PIECES_PER_PAUSE then
            -- A million small strings at once would keep the garbage collector busy for seconds.
            blocks[#blocks + 1] = table.concat(pieces)
            pieces, count = {}, 0
            pause()
        end
    end

    local write

    local function write_entries(item, indent)
        local listed = 0
        local entry = rawget(item, 1)
        while entry ~= nil do
            listed = listed + 1
            if type(entry) == "table" then
                put(indent)
                write(entry, indent)
                put(",\n")
            else
                put(indent .. scalar(entry) .. ",\n")
            end
            entry = rawget(item, listed + 1)
        end
        for key, value_at in next, item do
            if not (type(key) == "number" and key >= 1 and key <= listed and key % 1 == 0) then
                put(indent)
                if type(key) == "string" and not KEYWORDS[key] and key:match("^[%a_][%a%d_]*$") then
                    put(key)
                    put(" = ")
                else
                    put("[ ")
                    write(key, indent)
                    put(" ] = ")
                end
                write(value_at, indent)
                put(",\n")
            end
        end
    end

    function write(item, indent)
        if type(item) ~= "table" then
            return put(scalar(item))
        end
        if tracking[item] ~= nil then
            error("Cannot serialize table with recursive or repeated entries", 0)
        end
        tracking[item] = true
        if next(item) == nil then
            return put("{}")
        end
        put("{\n")
        write_entries(item, indent .. "  ")
        put(indent)
        put("}")
    end

    local ok, problem = pcall(write, value, "")
    if not ok and problem ~= full then
        error(problem, 0)
    end
    blocks[#blocks + 1] = table.concat(pieces)
    return table.concat(blocks), ok
end

---Writes a value as `textutils.serialize` does, and throws where it throws. What is longer than `most` bytes ends
---somewhere behind them; the caller cuts it.
---@param value any
---@param most number
---@param pause fun() called now and then, so that nothing else waits
---@return string
---@return boolean is_whole
local function serialize(value, most, pause)
    if is_small(value) then
        return textutils.serialize(value), true
    end
    return serialize_large(value, most, pause)
end

return { serialize = serialize }
