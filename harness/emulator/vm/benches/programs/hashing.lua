local band, bxor, rshift, lrotate = bit32.band, bit32.bxor, bit32.rshift, bit32.lrotate
local h = 0
for i = 1, 1500000 do
    h = bxor(h, i)
    h = band(lrotate(h, 5) + rshift(h, 3) * 7, 0xFFFFFFFF)
end
local t = {}
for i = 1, 300000 do t["k" .. (i % 5000)] = (t["k" .. (i % 5000)] or 0) + 1 end
assert(t.k1 == 60)
