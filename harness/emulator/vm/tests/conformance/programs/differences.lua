-- What is meant to differ from Lua 5.2.
assert(5 % math.huge == 5 and -5 % math.huge == math.huge and 2 ^ 61 % 61 == 2 ^ 61 % 61)
assert(2 ^ 53 % 3 == 2 and 5.5 % -2 == -0.5)
local goto = 1
assert(goto == 1)
local total = 0
for i, v in ipairs(setmetatable({}, { __index = function(_, i) if i < 4 then return i * 10 end end })) do total = total + i + v end
assert(total == 66)
local stored = {}
local proxy = setmetatable({}, { __newindex = stored, __index = stored, __len = function() return #stored end })
table.insert(proxy, "a") table.insert(proxy, 1, "b") table.insert(proxy, "c")
assert(rawget(proxy, 1) == nil and table.concat(proxy, ",") == "b,a,c")
table.sort(proxy) assert(table.concat(proxy) == "abc")
assert(table.remove(proxy, 1) == "a" and #stored == 2 and select("#", table.unpack(proxy)) == 2)
local named = setmetatable({}, { __name = "Foo" })
assert(select(2, pcall(function() return named + 1 end)):find("local 'named' %(a Foo value%)") or
    select(2, pcall(function() return named + 1 end)):find("a Foo value"))
assert(tostring(named):find("^Foo: 0x%x+$") and tostring({}):find("^table: 0x%x%x%x%x%x%x%x%x+$"))
-- Yields where Lua 5.2 has none.
local co = coroutine.wrap(function()
    local t = { 3, 1, 2 }
    table.sort(t, function(a, b) coroutine.yield("sort") return a < b end)
    local s = ("abc"):gsub(".", function(c) return coroutine.yield("gsub") end)
    local f = load(function() return coroutine.yield("load") end)
    local text = tostring(setmetatable({}, { __tostring = function() return coroutine.yield("tostring") end }))
    local formatted = ("%s"):format(setmetatable({}, { __tostring = function() return coroutine.yield("format") end }))
    local _, handled = xpcall(error, function() return coroutine.yield("handler") end)
    return table.concat(t), s, f and f(), text, formatted, handled
end)
local seen, results = {}, nil
local pieces = { "return ", "42" }
local reply
while true do
    results = table.pack(co(reply))
    if results.n > 1 then break end
    seen[results[1]] = (seen[results[1]] or 0) + 1
    if results[1] == "load" then reply = table.remove(pieces, 1) else reply = "<" .. results[1] .. ">" end
end
assert(seen.sort >= 2 and seen.gsub == 3 and seen.load == 3)
assert(results[1] == "123" or results[1]:len() == 3)
assert(results[2] == "<gsub><gsub><gsub>" and results[3] == 42)
assert(results[4] == "<tostring>" and results[5] == "<format>" and results[6] == "<handler>")
-- Only text is code.
assert(not load("\27Lua") and not pcall(string.dump, print))
assert(select(2, load("return 1", "=x", "b")) == "attempt to load a text chunk (mode is 'b')")
-- Of Lua 5.3.
assert(table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), ",") == "1,1,2,3")
assert(utf8.char(228, 8364) == "\u{e4}\u{20ac}" and utf8.len("\u{e4}\u{20ac}") == 2 and utf8.codepoint("\u{20ac}") == 8364)
for place, code in utf8.codes("a\u{e4}") do assert((place == 1 and code == 97) or (place == 2 and code == 228)) end
assert(utf8.offset("\u{e4}b", 2) == 3)
assert(string.pack(">I2z", 258, "ab") == "\1\2ab\0" and select("#", string.unpack("<i4d", ("\0"):rep(12))) == 3)
assert(string.packsize("i4i8") == 12)
assert(not coroutine.isyieldable() and coroutine.wrap(coroutine.isyieldable)())
-- Environments of functions.
local function env() return x end
assert(setfenv(env, { x = "changed" }) == env and env() == "changed" and getfenv(env).x == "changed" and x == nil)
-- The debug library takes nothing that is out of range.
for _, level in ipairs { -1, 1e9, 2 ^ 31, -2 ^ 31, 2 ^ 63 } do
    pcall(debug.getlocal, level, 1) pcall(debug.setlocal, level, 1, 1) pcall(debug.getinfo, level)
    pcall(debug.getlocal, 1, level) pcall(debug.setlocal, 1, level, 1) pcall(debug.getupvalue, env, level)
end
assert(not pcall(debug.getinfo, coroutine.create(env), 0, ">S"))
-- The smallest and the largest whole numbers are positions like any other.
for _, place in ipairs { -2 ^ 63, 2 ^ 63, -2 ^ 31, 2 ^ 53, 0 } do
    for _, f in ipairs { string.sub, string.byte, utf8.codepoint, utf8.len, utf8.offset, table.unpack, select, table.remove,
        table.concat, string.find, string.unpack, table.move, bit32.lshift, bit32.arshift, math.ldexp, string.rep } do
        pcall(f, "abc", place) pcall(f, "abc", place, place) pcall(f, "i1", "abc", place) pcall(f, place, 1)
        pcall(f, {}, place) pcall(f, {}, "", place, place)
    end
end
-- Coroutines that resume each other without end stop with an error, soon.
local function again(self) return coroutine.wrap(self)(self) end
assert(not pcall(again, again) and coroutine.wrap(function() return 1 end)() == 1)
