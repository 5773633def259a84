-- A jump back is a loop.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(load("::again:: goto again"))
sleep(0)
print((message:gsub("^.*: ", "")))
