-- Writes pattern.txt: `find`, `match`, `gmatch` and `gsub` of made-up patterns and subjects.

local common = ...

-- A message without its position; the tables are compared with messages that have none.
local function message(text)
    return (text:gsub("^[^:]+:%d+: ", ""))
end

local function shown(results)
    if not results[1] then return "error:" .. common.escape(message(results[2])) end
    local values = {}
    for i = 2, results.n do
        local value = results[i]
        values[i - 1] = type(value) == "string" and "s" .. common.escape(value) or tostring(value)
    end
    return table.concat(values, ",")
end

local function iterate(subject, pattern)
    local found = {}
    for first, second in subject:gmatch(pattern) do
        found[#found + 1] = tostring(first) .. "|" .. tostring(second)
        if #found > 20 then break end
    end
    return table.concat(found, ";")
end

local function case(subject, pattern, replacement, init)
    out(table.concat({
        common.escape(subject), common.escape(pattern), common.escape(replacement), tostring(init),
        shown(table.pack(pcall(string.find, subject, pattern, init))),
        shown(table.pack(pcall(string.match, subject, pattern, init))),
        shown(table.pack(pcall(iterate, subject, pattern))),
        shown(table.pack(pcall(string.gsub, subject, pattern, replacement))),
    }, "\t"))
end

local pieces = {
    "a", "b", "c", ".", "%a", "%d", "%s", "%w", "%W", "%p", "%u", "%l", "%x", "%g", "%c", "%z", "%A", "%.", "%%", "[abc]", "[^a]", "[a-c]", "[%a_]",
    "[]]", "[^]]", "[%-x]", "[a-]", "[%a-z]", "[b-a]", "[a-%]]", "()", "(", ")", "(a", "b)", "(.-)", "(%a+)", "(.*)", "%1", "%2", "%b()", "%bab", "%f[%a]",
    "%f[^%a]", "$", "^", "-", "*", "+", "?", "\0", "%", "[", "]", " ", "1", "\200", "%f", "%b", "%bx", "[^", "[%", "%0", "%9", "[]", "[\128-\255]", "[%]]",
}
local repeats = { "", "", "", "*", "+", "-", "?" }
local letters = { "a", "b", "c", "a", "b", "ab", "(", ")", " ", "1", "A", "_", ".", "-", "]", "\0", "\200", "%", "$", "x" }
local replacements = { "", "x", "%0", "%1", "%2", "<%0>", "%%", "%", "%x", "a%1b%1", "\0", "%9" }

for _ = 1, 4000 do
    local subject, pattern = {}, {}
    for i = 1, common.random(0, 9) do subject[i] = common.pick(letters) end
    if common.random(1, 6) == 1 then pattern[1] = "^" end
    for _ = 1, common.random(0, 4) do
        table.insert(pattern, common.pick(pieces))
        table.insert(pattern, common.pick(repeats))
    end
    if common.random(1, 6) == 1 then table.insert(pattern, "$") end
    case(table.concat(subject), table.concat(pattern), common.pick(replacements), common.pick({ 1, 1, 1, 2, 5, -1, -3, 20 }))
end

local long = ("a"):rep(300)
for _, count in ipairs({ 198, 199, 200, 201 }) do
    for _, piece in ipairs({ "a?", "a-", "a*", "b*", "b-" }) do case(long, piece:rep(count), "x", 250) end
end
for _, count in ipairs({ 31, 32, 33 }) do
    case("abc", ("()"):rep(count), "%1", 1)
    case("abc", ("("):rep(count) .. (")"):rep(count), "%1", 1)
    case("abc", ("(a-)"):rep(count), "%9", 1)
end
for letter = 0, 255 do
    local all = {}
    for byte = 0, 255 do all[byte + 1] = string.char(byte) end
    local pattern = "%" .. string.char(letter)
    if not pattern:find("%%[bf0-9]") then
        out(table.concat({ "class", common.escape(pattern), shown(table.pack(pcall(string.gsub, table.concat(all), pattern, ""))) }, "\t"))
    end
end
