-- Values of any kind: whether two are alike, and how they are shown.

local type, pairs, tostring, getmetatable, rawequal, ipairs =
    type, pairs, tostring, getmetatable, rawequal, ipairs
local next, pcall = next, pcall
local format, gsub, rep, match = string.format, string.gsub, string.rep, string.match
local concat, sort = table.concat, table.sort
local floor, huge = math.floor, math.huge

-- A table is shown up to here; a larger one is cut, and says so.
local MOST_ENTRIES = 200
local DEEPEST = 12

-- Words that cannot stand as a key without brackets.
local RESERVED = "and break do else elseif end false for function goto if in local nil not or repeat return then true "
    .. "until while"
local WORDS = {}
for word in RESERVED:gmatch("%a+") do
    WORDS[word] = true
end

local ESCAPES = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\" }

local function show_text(text)
    return '"'
        .. gsub(text, '[%c"\\\127]', function(character)
            return ESCAPES[character] or format("\\%03d", character:byte())
        end)
        .. '"'
end

local function show_number(number)
    if number == floor(number) and number > -huge and number < huge and number < 1e15 and number > -1e15 then
        return format("%d", number)
    end
    return tostring(number)
end

-- Numbers first, then texts, then the rest: the same order on every run.
local RANKS = { number = 1, string = 2, boolean = 3 }

local function sorted_keys(entries)
    local keys = {}
    for key in next, entries do
        keys[#keys + 1] = key
    end
    sort(keys, function(left, right)
        local left_rank, right_rank = RANKS[type(left)] or 4, RANKS[type(right)] or 4
        if left_rank ~= right_rank then
            return left_rank < right_rank
        elseif left_rank <= 2 then
            return left < right
        end
        return tostring(left) < tostring(right)
    end)
    return keys
end

local show_at

local function show_table(entries, depth, seen)
    if seen[entries] then
        return "<the same table again>"
    elseif next(entries) == nil then
        return "{}"
    elseif depth >= DEEPEST then
        return "{ … }"
    end
    seen[entries] = true
    local indent = rep("  ", depth + 1)
    local lines, listed = {}, #entries
    for index, key in ipairs(sorted_keys(entries)) do
        if index > MOST_ENTRIES then
            lines[#lines + 1] = indent .. "… and more"
            break
        end
        local value = show_at(entries[key], depth + 1, seen)
        local is_listed = type(key) == "number" and key >= 1 and key <= listed and key == floor(key)
        if is_listed then
            lines[#lines + 1] = indent .. value .. ","
        elseif type(key) == "string" and match(key, "^[%a_][%w_]*$") and not WORDS[key] then
            lines[#lines + 1] = indent .. key .. " = " .. value .. ","
        else
            lines[#lines + 1] = indent .. "[" .. show_at(key, depth + 1, seen) .. "] = " .. value .. ","
        end
    end
    seen[entries] = nil
    return "{\n" .. concat(lines, "\n") .. "\n" .. rep("  ", depth) .. "}"
end

function show_at(value, depth, seen)
    local kind = type(value)
    if kind == "string" then
        return show_text(value)
    elseif kind == "number" then
        return show_number(value)
    elseif kind == "table" then
        local metatable = getmetatable(value)
        if type(metatable) == "table" and metatable.__tostring then
            local ok, text = pcall(tostring, value)
            if ok then
                return text
            end
        end
        return show_table(value, depth, seen)
    elseif kind == "nil" or kind == "boolean" then
        return tostring(value)
    end
    -- Functions and coroutines: their address says nothing and differs from run to run.
    return "<" .. kind .. ">"
end

---Shows a value over as many lines as it needs, in the same way on every run.
---@return string
local function show(value)
    return show_at(value, 0, {})
end

---Shows several values in a row.
local function show_all(values)
    local shown = {}
    for index = 1, values.n do
        shown[index] = show(values[index])
    end
    return concat(shown, ", ")
end

local function is_nan(value)
    return value ~= value
end

local function alike(left, right, paired)
    if type(left) ~= "table" or type(right) ~= "table" then
        return left == right or (is_nan(left) and is_nan(right))
    elseif rawequal(left, right) or paired[left] == right then
        return true
    end
    -- Two tables that are being compared already are taken to be alike: a cycle in one is a cycle in the other.
    paired[left] = right
    for key, value in pairs(left) do
        if not alike(value, right[key], paired) then
            return false
        end
    end
    for key in pairs(right) do
        if left[key] == nil then
            return false
        end
    end
    return true
end

---Says whether two values are alike, tables entry by entry.
---@return boolean
local function same(left, right)
    return alike(left, right, {})
end

---Says whether a value has everything that a pattern has; it may have more.
---@return boolean
local function has(value, pattern)
    if type(value) ~= "table" or type(pattern) ~= "table" then
        return same(value, pattern)
    end
    for key, wanted in pairs(pattern) do
        if not has(value[key], wanted) then
            return false
        end
    end
    return true
end

return { show = show, show_all = show_all, same = same, has = has }
