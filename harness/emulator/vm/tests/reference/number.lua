-- Writes number.txt: `tostring` of numbers by their bits, and `tonumber` of texts.

local common = ...

for _ = 1, 1500 do
    local number = common.number()
    out("tostring\t" .. common.bits(number) .. "\t" .. tostring(number))
end

local function parsed(number)
    return number and common.bits(number) or "nil"
end

local function tonumber_of(text)
    out("tonumber\t" .. common.escape(text) .. "\t" .. parsed(tonumber(text)))
end

local numerals = {
    "", " ", "0", "-0", "+1", "- 1", "--1", ".", ".5", "5.", "5.e1", ".e1", "1e", "1e+", "1e5", "1E-5", "1e400", "1e-400", "-1e400",
    "inf", "nan", "infinity", "-inf", "0x", "0x.", "0x.p1", "0xp1", "0x1p", "0x1p+", "0x1p4", "0X1P-4", "0x.8", "0xA.8p1", "0x1.8.2",
    "0x1p1.5", "0xg", "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "0x0.8p-1074", "0x1p1023", "0x1p1024", "0x1.fffffffffffff8p1023",
    "0x1.fffffffffffff7p1023", "0x1.00000000000008p0", "0x1.000000000000080001p0", "0x1.00000000000018p0", "0x10000000000000800000000001",
    "0xffffffffffffffffffffffffffffffffffff", "0x0000000000000000000000000000000000001", "0x1p99999999999999999999", "0x1p-99999999999999999999",
    "1e99999999999999999999", "0e99999999999999999999", "123456789012345678901234567890", "9007199254740993", "9007199254740992.9999",
    "2.2250738585072011e-308", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623159e308",
    "\t\n\v\f\r 1 \t\n\v\f\r", "1\0", "\0001", "1 1", "1_000", "1,5", "0b1", "1f", "1d", "1L", "0x1L", "\1601", "1e5e5", "1.2.3",
}
for _, text in ipairs(numerals) do tonumber_of(text) end

local alphabet = { "0", "1", "5", "9", ".", "e", "E", "+", "-", "x", "X", "p", "a", "f", " ", "00", "0x", "25", "8" }
for _ = 1, 1500 do
    local text = {}
    for i = 1, common.random(1, 7) do text[i] = common.pick(alphabet) end
    tonumber_of(table.concat(text))
end
for _ = 1, 300 do
    tonumber_of(("%.17g"):format(common.number()))
    tonumber_of(("%a"):format(common.number()))
end

local digits = { "0", "1", "7", "9", "a", "F", "z", "Z", "-", "+", " ", ".", "\0", "\t" }
for _ = 1, 800 do
    local text = {}
    for i = 1, common.random(0, 6) do text[i] = common.pick(digits) end
    local base = common.pick({ 2, 8, 10, 16, 36, 3 })
    text = table.concat(text)
    out("base" .. base .. "\t" .. common.escape(text) .. "\t" .. parsed(tonumber(text, base)))
end
