-- Every item was delivered, and none twice.
local count = {}
for item in io.lines("/delivered") do
    count[item] = (count[item] or 0) + 1
    assert(count[item] == 1, "item " .. item .. " was delivered twice")
end
for item = 1, 10 do
    assert(count[tostring(item)], "item " .. item .. " was not delivered")
end
