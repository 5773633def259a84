-- Writes utf8.txt: the functions of `utf8`, and `sub` and `byte` with any positions.

local common = ...

local function shown(results)
    if not results[1] then
        return "error:" .. common.escape((results[2]:gsub("^[^:]+:%d+: ", "")))
    end
    local values = {}
    for i = 2, results.n do
        local value = results[i]
        values[i - 1] = type(value) == "string" and "s" .. common.escape(value) or tostring(value)
    end
    return table.concat(values, ",")
end

local function case(name, text, arguments, call, ...)
    out(table.concat({ name, common.escape(text), arguments, shown(table.pack(pcall(call, ...))) }, "\t"))
end

for _, code in ipairs({ 0, 1, 127, 128, 2047, 2048, 55295, 55296, 57343, 65535, 65536, 1114111, 1114112, 2097151, 67108864, 2 ^ 31 - 1, 2 ^ 31, -1 }) do
    case("char", "", ("%d"):format(code), utf8.char, code)
end
case("charpattern", "", "", function() return utf8.charpattern end)

local pieces = { "a", "b", "\195\164", "\226\130\172", "\240\159\152\128", "\128", "\191", "\195", "\226\130", "\240\159", "\237\160\128", "\244\144\128\128", "\192\128", "\193\191", "\224\128\128", "\240\128\128\128", "\248\136\128\128\128", "\255", "\0" }

local function codes(text)
    local found = {}
    for position, code in utf8.codes(text) do
        found[#found + 1] = position .. ":" .. code
    end
    return table.concat(found, ";")
end

for _ = 1, 1500 do
    local text = {}
    local valid = common.random(1, 2) == 1
    for i = 1, common.random(0, 6) do text[i] = pieces[common.random(1, valid and 5 or #pieces)] end
    text = table.concat(text)
    local one, two = common.random(-8, 9), common.random(-8, 9)
    local both = one .. "," .. two
    case("len", text, both, utf8.len, text, one, two)
    case("codepoint", text, both, utf8.codepoint, text, one, two)
    case("offset", text, both, utf8.offset, text, one, two)
    case("codes", text, "", codes, text)
end
local positions = { 0, 1, 2, 3, 4, 5, 6, 100, -1, -2, -4, -5, -6, -100, 2 ^ 53, -2 ^ 53, 2 ^ 62, -2 ^ 63 }
for _, one in ipairs(positions) do
    for _, two in ipairs(positions) do
        for _, text in ipairs({ "", "a", "hello" }) do
            local both = ("%d,%d"):format(one, two)
            case("sub", text, both, string.sub, text, one, two)
            case("byte", text, both, string.byte, text, one, two)
        end
    end
end
