-- keys: the numbers that key events carry, by name.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local keys = _ENV

-- Rows of keys whose numbers follow each other, each with the number of its first.
local rows = {
    [2] = "one two three four five six seven eight nine zero minus equals backspace tab "
        .. "q w e r t y u i o p leftBracket rightBracket enter leftCtrl "
        .. "a s d f g h j k l semiColon apostrophe grave leftShift backslash "
        .. "z x c v b n m comma period slash rightShift multiply leftAlt space capsLock "
        .. "f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 numLock scrollLock "
        .. "numPad7 numPad8 numPad9 numPadSubtract numPad4 numPad5 numPad6 numPadAdd "
        .. "numPad1 numPad2 numPad3 numPad0 numPadDecimal",
    [87] = "f11 f12",
    [100] = "f13 f14 f15",
    [112] = "kana",
    [121] = "convert",
    [123] = "noconvert",
    [125] = "yen",
    [141] = "numPadEquals",
    [144] = "circumflex at colon underscore kanji stop ax",
    [156] = "numPadEnter rightCtrl",
    [179] = "numPadComma",
    [181] = "numPadDivide",
    [184] = "rightAlt",
    [197] = "pause",
    [199] = "home up pageUp",
    [203] = "left",
    [205] = "right",
    [207] = "end down pageDown insert delete",
}

local name_of = {}
for first, row in pairs(rows) do
    local number = first
    for name in row:gmatch("%S+") do
        keys[name] = number
        name_of[number] = name
        number = number + 1
    end
end

-- Other names of the same keys, which older programs use.
keys["return"] = keys.enter
keys.scollLock = keys.scrollLock
keys.cimcumflex = keys.circumflex

--- Names a key.
---@param number number
---@return string|nil
function keys.getName(number)
    expect(1, number, "number")
    return name_of[number]
end
