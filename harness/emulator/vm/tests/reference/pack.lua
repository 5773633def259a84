-- Writes pack.txt: `string.pack`, `string.packsize` and `string.unpack` of made-up formats.

local common = ...

local function shown(results)
    if not results[1] then
        return "error:" .. common.escape((results[2]:gsub("^[^:]+:%d+: ", "")))
    end
    local values = {}
    for i = 2, results.n do
        local value = results[i]
        values[i - 1] = type(value) == "string" and "s" .. common.escape(value) or common.bits(value)
    end
    return table.concat(values, ",")
end

local integers = { "b", "B", "h", "H", "i", "I", "l", "L", "j", "J", "T", "i1", "I1", "i2", "I2", "i3", "I3", "i7", "I7", "i8", "I8", "i9", "I9", "i16", "I16" }
local floats = { "f", "d", "n" }
local texts = { "s", "s1", "s2", "s4", "z", "c0", "c1", "c5", "c10" }
local others = { "x", "<", ">", "=", "!", "!1", "!2", "!4", "!8", "!16", " ", "Xi4", "Xd", "Xi2", "Xh", "Xs4", "Xb" }
local broken = { "k", "c", "X", "Xz", "Xc1", "X ", "X<", "i0", "i17", "!3", "!17", "s0", "i99999999999", "!5i5", "XX", "Xi3", "\0", "\200", "!0" }
local numbers = { 0, 1, -1, 2.5, -2.5, 127, 128, 255, 256, -128, -129, 32767, 32768, 65535, 65536, 2 ^ 31, 2 ^ 32, 2 ^ 53, 2 ^ 62, 2 ^ 63, -2 ^ 63, 2 ^ 63 + 2 ^ 62, 2 ^ 64, 1 / 0, 0 / 0, 0.1, 1e300, 3.4e38 }
local strings = { "", "a", "hello", "a\0b", ("x"):rep(10), ("y"):rep(11), ("z"):rep(256) }

local function format()
    local text, arguments, written = {}, {}, {}
    for _ = 1, common.random(1, 4) do
        local kind = common.random(1, 20)
        if kind <= 8 then
            text[#text + 1] = common.pick(integers)
            arguments[#arguments + 1] = common.pick(numbers)
            written[#written + 1] = common.bits(arguments[#arguments])
        elseif kind <= 11 then
            text[#text + 1] = common.pick(floats)
            arguments[#arguments + 1] = common.number()
            written[#written + 1] = common.bits(arguments[#arguments])
        elseif kind <= 14 then
            text[#text + 1] = common.pick(texts)
            arguments[#arguments + 1] = common.pick(strings)
            written[#written + 1] = "s" .. common.escape(arguments[#arguments])
        elseif kind <= 19 then
            text[#text + 1] = common.pick(others)
        else
            text[#text + 1] = common.pick(broken)
            if text[#text] == "!5i5" then
                arguments[#arguments + 1] = 1
                written[#written + 1] = common.bits(1)
            end
            -- What follows would be read with it.
            break
        end
    end
    return table.concat(text), arguments, written
end

for _ = 1, 2500 do
    local text, arguments, written = format()
    out(table.concat({ "pack", common.escape(text), table.concat(written, ","), shown(table.pack(pcall(string.pack, text, table.unpack(arguments)))) }, "\t"))
end
for _ = 1, 1000 do
    local text = format()
    out(table.concat({ "packsize", common.escape(text), "", shown(table.pack(pcall(string.packsize, text))) }, "\t"))
end
for _, text in ipairs({ "c2147483647", "c214748364", "c99999999999", "c2147483639" }) do
    out(table.concat({ "packsize", text, "", shown(table.pack(pcall(string.packsize, text))) }, "\t"))
end
for count = 9, 11 do
    local text = ("c214748363"):rep(count) .. "c17"
    out(table.concat({ "packsize", text, "", shown(table.pack(pcall(string.packsize, text))) }, "\t"))
    out(table.concat({ "packsize", text .. "x", "", shown(table.pack(pcall(string.packsize, text .. "x"))) }, "\t"))
end
for _ = 1, 2500 do
    local text = format()
    local data = {}
    local plain = common.random(1, 3)
    for i = 1, common.random(0, 30) do
        data[i] = string.char(plain == 1 and common.random(0, 2) or plain == 2 and common.pick({ 0, 255 }) or common.random(0, 255))
    end
    data = table.concat(data)
    local position = common.pick({ 1, 1, 1, 1, 2, 3, -1, -5, 0, 31, 32, -40 })
    out(table.concat({ "unpack", common.escape(text), common.escape(data) .. "," .. position, shown(table.pack(pcall(string.unpack, text, data, position))) }, "\t"))
end
