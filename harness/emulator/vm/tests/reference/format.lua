-- Writes format.txt: one directive with one argument, and what it prints or why not.

local common = ...

local function case(format, kind, shown, value)
    local ok, result = pcall(string.format, format, value)
    if not ok then result = result:match("%((.*)%)$") and result:gsub("^.-bad argument #2 %((.*)%)$", "%1") or result:gsub("^[^:]+:%d+: ", "") end
    out(table.concat({ common.escape(format), kind, shown, ok and "prints" or "fails", common.escape(result) }, "\t"))
end

local function options(flags)
    local text = { "%" }
    for _ = 1, common.random(0, 2) do table.insert(text, common.pick(flags)) end
    if common.random(1, 2) == 1 then table.insert(text, common.random(1, 40)) end
    if common.random(1, 2) == 1 then table.insert(text, "." .. common.pick({ "", 0, 1, 2, 3, 5, 10, 14, 17, 20, 40, 99 })) end
    return table.concat(text)
end

local flags = { "-", "+", " ", "#", "0" }
local function number(letters, count)
    for _ = 1, count do
        local value = common.number()
        case(options(flags) .. common.pick(letters), "number", common.bits(value), value)
    end
end
number({ "d", "i", "u", "o", "x", "X", "c" }, 2000)
number({ "e", "E", "f", "g", "G", "a", "A" }, 3000)
for _ = 1, 300 do
    local value = common.pick({ 0, 1, 7, 8, 255, 4096, -1, -7, 0.5, -0.5 })
    case(options(flags) .. common.pick({ "d", "u", "o", "x", "X" }), "number", common.bits(value), value)
end

local texts = { "", "a", "hello", "a\0b", "\0", "\n\r\t\"\\", ("x"):rep(99), ("x"):rep(100), ("x\0"):rep(60), "\0001", "\200\255\127\1" }
for _ = 1, 300 do
    local text = common.pick(texts)
    case(options(flags) .. common.pick({ "s", "s", "s", "q" }), "text", common.escape(text), text)
end

local letters = { "d", "s", "y", "%", "", "F", "p", "n", "l", "*", ".", "1", "99", "100", "0", "-", "+", " ", "#", "\0", "\255", ".5", ".99", ".100" }
for _ = 1, 500 do
    local text = { "%" }
    for i = 2, common.random(2, 6) do text[i] = common.pick(letters) end
    text = table.concat(text)
    if text:match("^%%[^%%]") or text == "%" then case(text:match("^%%[^a-zA-Z*\0\255%%]*.?"), "number", common.bits(1), 1) end
end
for _, format in ipairs({ "%00000d", "%000000d", "%-+ #0d", "%-+ #0-d", "%" }) do case(format, "number", common.bits(1), 1) end
for _ = 1, 100 do
    local value = common.number()
    case("%q", "number", common.bits(value), value)
end
