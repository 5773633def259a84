-- So is the sorting of many numbers, again and again.
-- prints: Too long without yielding
local list = {}
for i = 1, 1e6 do list[i] = (i * 7919) % 1000003 end
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function()
    while true do
        table.sort(list)
        for i = 1, #list do list[i] = (list[i] * 31) % 1000003 end
    end
end)
sleep(0)
print((message:gsub("^.*: ", "")))
