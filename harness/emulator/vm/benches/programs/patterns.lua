local text = ("The quick brown fox jumps over the lazy dog; key_1=value1, key_2 = value2\n"):rep(2000)
local words = 0
for word in text:gmatch("%a+") do words = words + 1 end
local pairs_found = 0
for key, value in text:gmatch("(%w+_%d)%s*=%s*(%w+)") do pairs_found = pairs_found + 1 end
local replaced = text:gsub("%a+", string.upper)
local other = text:gsub("o", "0")
for i = 1, 200000 do local a, b = ("x=12"):match("^(%a)=(%d+)$") end
assert(pairs_found == 4000)
