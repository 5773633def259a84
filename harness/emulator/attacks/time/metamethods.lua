-- Metamethods that never give a value are stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local t = setmetatable({}, { __index = function() while true do end end })
local ok, message = pcall(function() return t.x end)
sleep(0)
print((message:gsub("^.*: ", "")))
