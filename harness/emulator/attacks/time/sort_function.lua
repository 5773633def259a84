-- So is a sort with a function, also after comparisons that make no sense.
-- prints: Too long without yielding
local list = {}
for i = 1, 1000 do list[i] = i end
config.set("abortTimeout", 1000)
sleep(0)
local contradicts = pcall(table.sort, list, function() return true end)
assert(not contradicts, "the contradiction is noticed")
local ok, message = pcall(function() while true do table.sort(list, function() return false end) end end)
sleep(0)
print((message:gsub("^.*: ", "")))
