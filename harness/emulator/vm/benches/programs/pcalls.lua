local function f(x) if x % 100 == 0 then error("no") end return x end
local ok_count = 0
for i = 1, 1500000 do local ok = pcall(f, i) if ok then ok_count = ok_count + 1 end end
assert(ok_count == 1485000)
