local x = 0
for i = 1, 20000000 do x = (x * 3 + i) % 1000003 end
assert(x >= 0)
