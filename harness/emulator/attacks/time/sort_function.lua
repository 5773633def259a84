-- So is a sort whose comparisons make no sense.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local list = {}
for i = 1, 1000 do list[i] = i end
local ok, message = pcall(function() while true do table.sort(list, function() return true end) end end)
sleep(0)
print((message:gsub("^.*: ", "")))
