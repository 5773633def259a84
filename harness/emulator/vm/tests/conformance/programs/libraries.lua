local t = { 5, 2, 8, 1 }
table.sort(t) print(table.concat(t, ",")) table.sort(t, function(a, b) return a > b end) print(table.concat(t, " "))
local names = { "pear", "Apple", "fig", "apple" } table.sort(names) print(table.concat(names, ","))
table.insert(t, 7) table.insert(t, 1, 9) print(table.concat(t, ","), table.remove(t), table.remove(t, 1), #t)
print(table.unpack({ 1, 2, 3 }, 2)) print(table.unpack({ 1, nil, 3 }, 1, 3)) print(table.pack(1, nil).n, #table.pack())
print(string.format("%5d|%-5s|%05.1f|%x|%q|%s|%c|%g|%%", 42, "ab", 3.14159, 255, 'a "b"\n', nil, 65, 1e20))
print(("hello world"):find("o w"), ("hello"):find("l+"), ("hello"):find("xyz"), ("a.b"):find(".", 1, true), ("abc"):find("", 10))
print(("key = value"):match("^(%w+)%s*=%s*(%w+)$"), ("2024-01-02"):match("(%d+)-(%d+)-(%d+)"), ("abc"):match("()b()"))
print(("hello"):gsub("l", "L"), ("hello"):gsub("l", { l = "1" }), ("hello"):gsub(".", function(c) return c:byte() .. "," end))
print(("abc"):gsub("%w", "%0%0"), ("hello world"):gsub("(%w+) (%w+)", "%2 %1"), ("abc"):gsub("", "-"), ("x"):gsub("x", "%%"))
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do io.write(k, v, ";") end print()
print(("%bxy f(a(b)c)d"):match("%b()"), ("THE (quick) fox"):find("%((%a+)%)"), ("[x]"):gsub("[%[%]]", ""))
print(("abc"):upper(), ("ABC"):lower(), ("abc"):reverse(), ("abc"):sub(-2), ("abc"):sub(2, 10), ("abc"):byte(1, -1))
print(("ab"):rep(3, ","), ("x"):rep(0), ("x"):rep(-1), string.char(72, 105), ("abc"):len())
print(tostring(1e15), tostring(1e14), 0.1, 1 / 3, 100, 1e100, 2 ^ 53, -1e-7, 123456789012345)
print(tonumber("0x10"), tonumber("  12  "), tonumber("1e2"), tonumber("ff", 16), tonumber("z", 36), tonumber("1 2"), tonumber(""), tonumber("0x"), tonumber("1e"), tonumber("8", 8))
print(math.floor(-1.5), math.ceil(1.2), math.max(1, 5, 3), math.min(2, 0), math.abs(-3), math.fmod(-6, 4), math.modf(3.7))
print(math.frexp(8), math.ldexp(0.5, 4), math.sqrt(16), math.huge, -math.huge, math.pi)
print(bit32.band(12, 10), bit32.bor(12, 10), bit32.bxor(12, 10), bit32.bnot(0), bit32.lshift(1, 31), bit32.rshift(2 ^ 31, 31), bit32.arshift(2 ^ 31, 4), bit32.lrotate(0x80000001, 1), bit32.extract(0xff00, 8, 4), bit32.replace(0, 5, 4, 4), bit32.btest(1, 2), bit32.band(-1), bit32.lshift(1, 32))
print(select(-1, 1, 2, 3), select(2, "a", "b"), type(next), next({}), rawget({ 5 }, 1), rawequal("a", "a"))
local keys = {} for k in pairs { x = 1, y = 2, 10, 20 } do keys[#keys + 1] = tostring(k) end table.sort(keys) print(table.concat(keys, " "))
local cleared = {} for i = 1, 100 do cleared[i] = i cleared["k" .. i] = i end
for k in pairs(cleared) do cleared[k] = nil end print(next(cleared))
local sparse = {} for i = 10, 1, -1 do sparse[i] = i end print(#sparse)
local weak = setmetatable({}, { __mode = "k" }) weak[{}] = 1 weak.kept = 2 collectgarbage() local count = 0
for _ in pairs(weak) do count = count + 1 end print(count)
local eph = setmetatable({}, { __mode = "k" }) do local key = {} eph[key] = { key } end collectgarbage() print(next(eph))
print(pcall(string.format, "%d", "x"), pcall(string.format, "%y", 1), pcall(string.format, "%d"))
print(load("local a <const> = 1"), load("return 1 // 2"), load("return 1 & 2"))
local function f(a, b, ...) local c = 1 return debug.getlocal(1, 1), debug.getlocal(1, 3), debug.getlocal(1, -1) end
print(f(10, 20, 30)) print(debug.getinfo(f, "u").nparams, debug.getinfo(f, "S").what, debug.getinfo(1, "l").currentline)
local u1, u2 = 1, 2 local function g() return u1, u2 end print(debug.getupvalue(g, 1), debug.setupvalue(g, 2, 9), g())
local lines = {} debug.sethook(function(_, line) lines[#lines + 1] = line end, "l") local q = 1
q = 2 debug.sethook() print(#lines > 0, collectgarbage("count") > 0, _VERSION)
-- The order of comparisons and exchanges, which functions that contradict themselves make visible.
local function trace(count, less)
    local seed, list, asked = 7, {}, {}
    for i = 1, count do
        seed = seed * 16807 % 2147483647
        list[i] = { key = seed % 4, place = i }
    end
    local ok, problem = pcall(table.sort, list, function(a, b)
        asked[#asked + 1] = (a and a.place or "-") .. "<" .. (b and b.place or "-")
        return less(a or b, b or a)
    end)
    for i = 1, #list do list[i] = list[i].place end
    print("trace " .. tostring(ok or problem) .. " " .. table.concat(asked, " ") .. " : " .. table.concat(list, " "))
end
trace(2, function() return true end)
trace(3, function(a, b) return a.key < b.key end)
trace(20, function(a, b) return a.key < b.key end)
trace(9, function(a, b) return a.key <= b.key end)
trace(9, function() return true end)
trace(9, function() return false end)
local zeros = { 0, -0.0, 1, -1, -0.0, 0, 5, 3, 2 }
table.sort(zeros)
print("zeros " .. table.concat(zeros, " "))
