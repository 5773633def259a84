local o = { a = 1, b = 2, c = 3, d = { e = 4 } }
for i = 1, 6000000 do
    o.a = o.b + o.c
    o.d.e = o.d.e + 1
    o.b = o.a % 5
end
assert(o.d.e == 6000004)
