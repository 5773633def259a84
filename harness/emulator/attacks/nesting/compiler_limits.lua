-- Every limit of the compiler, from below and above.
-- prints: alive
local function names(n, s) local t = {} for i = 1, n do t[i] = (s or "v") .. i end return t end
local sources = {}
local function add(s) sources[#sources + 1] = s end
for _, n in ipairs({ 59, 60, 61, 199, 200, 201, 249, 250, 251, 254, 255, 256, 257, 300, 1000 }) do
    local list = table.concat(names(n), ",")
    add("local " .. list); add("local function f(" .. list .. ") return " .. list .. " end f()"); add("return " .. list); add(list .. " = " .. list)
    add("local " .. table.concat(names(math.min(n, 199)), ",") .. " return function() return " .. table.concat(names(math.min(n, 199)), "+") .. " end")
    add("return " .. ("("):rep(n) .. "1" .. (")"):rep(n)); add("return " .. ("{"):rep(n) .. ("}"):rep(n)); add("return " .. ("-"):rep(1) .. ("not "):rep(n) .. "1")
    add("return " .. ("1 .. "):rep(n) .. "1"); add("return " .. ("1 ^ "):rep(n) .. "1"); add(("do "):rep(n) .. ("end "):rep(n)); add(("while x do "):rep(n) .. ("end "):rep(n))
    add(("if x then "):rep(n) .. ("end "):rep(n)); add("if x then " .. ("elseif x then "):rep(n) .. " end"); add(("function f() "):rep(n) .. ("end "):rep(n)); add("return " .. ("f("):rep(n) .. (")"):rep(n))
    add("return " .. ("a."):rep(n) .. "a"); add("return a" .. ("[a"):rep(n) .. ("]"):rep(n)); add("a" .. ("(a)"):rep(n)); add("a" .. (":a()"):rep(n)); add("for " .. list .. " in x do end")
    add(("for i = 1, 1 do "):rep(n) .. ("end "):rep(n)); add(("repeat "):rep(n) .. ("until x "):rep(n)); add("local a <const> = 1"); add("return function(...) return " .. ("..., "):rep(n) .. "... end")
    add("goto l" .. n .. " do ::l" .. n .. ":: end"); add(("::a" .. n .. ":: "):rep(2)); add("return {" .. ("f(),"):rep(n) .. "f()}"); add("return {" .. ("[f()]=f(),"):rep(n) .. "...}"); add("x = " .. ("x and "):rep(n) .. "x or x")
    add("return [" .. ("="):rep(n) .. "[x]" .. ("="):rep(n) .. "]"); add("return '" .. ("\\" .. n):rep(3) .. "'"); add("return 0x" .. ("f"):rep(n) .. "." .. ("f"):rep(n) .. "p" .. n); add("return 1e" .. n)
end
local all = {}
for i = 1, 70000 do all[i] = "x" .. i .. "=" .. i end
add("return {" .. table.concat(all, ",") .. "}")
add(table.concat(all, " ") .. " goto x ::x:: local y = function() return x69999 end return y()")
for index, source in ipairs(sources) do
    local fn = load(source, "=x", "t", setmetatable({}, { __index = function() return function(...) return ... end end }))
    if fn and index % 36 ~= 12 and not source:find("while", 1, true) and not source:find("repeat", 1, true) then
        debug.sethook(function() error("enough", 0) end, "", 1e6)
        pcall(fn, 1, 2)
        debug.sethook()
    end
    if index % 20 == 0 then sleep(0) end
end
print("alive")
