local parts = {}
for i = 1, 300000 do parts[#parts + 1] = "item " .. i .. ";" end
local text = table.concat(parts)
local sum = 0
for i = 1, #text, 7 do sum = sum + text:byte(i) end
for i = 1, 300000 do local s = text:sub(i, i + 5):upper() end
assert(#text == 3488895)
