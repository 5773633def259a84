local t = {}
local function try(f, ...) print(pcall(f, ...)) end
try(function() local x; x.y = 1 end)
try(function() undefined_function() end)
try(function() t.field.deeper = 1 end)
try(function() t.method() end)
try(function() t:method() end)
try(function() t[1].x = 2 end)
try(function() return t + 1 end)
try(function() local s = "abc" return s + 1 end)
try(function() return 1 .. {} end)
try(function() return t.name .. "x" end)
try(function() return {} < {} end)
try(function() return {} < 1 end)
try(function() return nil <= 1 end)
try(function() return "a" < 1 end)
try(function() return #nil end)
try(function() return -{} end)
try(function() for i = 1, "x" do end end)
try(function() for i = "a", 1 do end end)
try(function() for i = 1, 2, {} do end end)
try(function() t[nil] = 1 end)
try(function() t[0 / 0] = 1 end)
try(function() string.rep() end)
try(function() ("x"):rep({}) end)
try(function() ("x"):bad() end)
try(function() setmetatable(1, 2) end)
try(string.rep) try(next, {}, 'x') try(error) try(error, nil) try(error, "plain", 0)
try(function() error("level 1") end) try(function() error("level 2", 2) end)
try(function() local function f() return f() + 1 end return f() end)
try(function() assert(false) end) try(function() assert(nil, "own message") end) try(assert, 1, 2, 3)
try(function() select(0) end) try(function() tonumber("z", 99) end) try(function() math.floor("a") end)
try(function() string.char(256) end) try(function() table.concat({ {} }) end) try(function() ipairs() end)
try(function() setmetatable({}) end) try(function() coroutine.resume(1) end)
print(xpcall(function() error("boom") end, function(m) return "handled: " .. m end))
print(xpcall(function(...) return ... end, print, 1, 2))
print(xpcall(error, function() error("again") end))
print(select(2, pcall(error, setmetatable({}, { __tostring = function() return "E" end }))) ~= nil)
for _, text in ipairs { "x = = 1", "for i = 1 do end", "break", "goto nowhere", "x = 'abc", "x = [[abc", 
    "local function f() return ... end", "if x then", "x = '\\400'", "f() = 1", "a.b:c = 1", "::a:: ::a::", "x = }",
    "do goto l; local a; ::l:: print(a) end", "local x = 1e", "x = 0x", "x", "repeat", "for a b", "x = '\\q'",
    "return 1,", "local 1", "function f(a,) end", "(", "x = ~1" } do
    print((select(2, load(text, "=chunk"))))
end
print(load("return 1")(), load("x =", "@file.lua"), load("\n\nx =", "some text\nmore"))
local line = 0
print(load(function() line = line + 1 return ({ "return ", "1 ", "+ 2", nil })[line] end)())
print(debug.traceback("message", 1):match("^message\nstack traceback:\n\t") ~= nil)

-- Where the iterator of a loop stands.
print(pcall(load("\n\nfor k in \n 3 \n do end", "=lines")))
-- Names that come after more constants than an instruction reaches.
do
    local parts = {}
    for i = 1, 300 do
        parts[i] = "c" .. i .. " = 'c" .. i .. "'"
    end
    print(pcall(load(table.concat(parts, "\n") .. "\nfar.x = 1", "=far")))
    print(pcall(load(table.concat(parts, "\n") .. "\nlocal t = {} t.far.x = 1", "=far")))
end
-- Bytes that are no letters.
print(load("\255a = 1", "=byte"))
print(load("a = \127", "=byte"))
