-- Operators, control structures, scopes, calls.
print(1 + 2, 10 / 4, 2 ^ 10, 7 % 3, -7 % 3, 7 % -3, -2 ^ 2, 2 ^ 3 ^ 2, 1 .. 2)
print(1 < 2, 1 <= 1, "a" < "b", "a" >= "b", 1 == 1.0, "1" == 1, not nil, not 0)
print("10" + 5, "0x10" * 2, 10 .. "", -"2")
print(nil and 1, false or 2, 1 and 2, nil or false, 1 and nil or 3, (1 > 2) and "x" or "y", not (1 > 2))
local function many(...) return ... end
print((many(1, 2, 3)), many(1, 2, 3), select("#", many(nil, nil)), #{ many(1, 2, 3) }, #{ many(1, 2, 3), 4 })
local function tail(n) if n == 0 then return "end" end return tail(n - 1) end
print(tail(10000))
for i = 1, 3 do io.write(i, " ") end
for i = 3, 1, -1 do io.write(i, " ") end
for i = 1, 0 do io.write("never") end
for i = 1, 2, 0.5 do io.write(i, " ") end print()
local i = 1
while true do i = i * 2 if i > 50 then break end end print(i)
repeat local done = i > 100 i = i + 30 until done print(i)
for a = 1, 3 do
    for b = 1, 3 do
        if b == 2 then goto continue end
        io.write(a, b, ";")
        ::continue::
    end
end
print()
do local k = 0 ::top:: k = k + 1 if k < 5 then goto top end print(k) end
local fns = {}
for n = 1, 3 do local m = n * 10 fns[n] = function() n = n + 1 m = m + 1 return n, m end end
print(fns[1](), fns[1](), fns[2]())
local a, b, c = (function() return 1, 2 end)() print(a, b, c)
a, b = b, a print(a, b)
local t = { 1, 2 } local index = 1
index, t[index] = 2, "x" print(index, t[1], t[2])
local long = [==[
first ]] line
second]==] print(long, #"\x41\65\z
    B")
local function counter() local n = 0 return function() n = n + 1 return n end, function() return n end end
local up, get = counter() up() up() print(get())
do local _ENV = { print = print, x = 5 } print(x) end
