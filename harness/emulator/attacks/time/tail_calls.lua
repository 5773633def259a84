-- Calls that leave no frames are stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local function again() return again() end
local ok, message = pcall(again)
sleep(0)
print((message:gsub("^.*: ", "")))
