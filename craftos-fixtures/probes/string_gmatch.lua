-- string.gmatch: iteration, captures, empty matches.

local words = {}
for word in ("one two  three"):gmatch("%a+") do words[#words + 1] = word end
print(table.concat(words, ","))
for key, value in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do print(key, value) end
local count = 0
for _ in ("abc"):gmatch("") do count = count + 1 end
print(count)
for position in ("a,b,c"):gmatch("(),") do print(position) end
for line in ("x\ny\n\nz"):gmatch("([^\n]*)\n?") do print("[" .. line .. "]") end
