-- So is the sorting of long texts.
-- prints: Too long without yielding
local a, b, list = ("x"):rep(5e7), ("x"):rep(5e7), {}
for i = 1, 20000 do list[i] = i % 2 == 0 and a or b end
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(table.sort, list)
sleep(0)
print((message:gsub("^.*: ", "")))
