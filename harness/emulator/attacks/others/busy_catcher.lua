-- A program that catches every end of its time goes on only until it is turned off, and holds up nobody.
-- prints: Too long without yielding
-- prints: Too long without yielding
config.set("abortTimeout", 200)
sleep(0)
local messages = {}
for i = 1, 2 do
    local ok, message = pcall(function() while true do end end)
    messages[i] = message:gsub("^.*: ", "")
end
sleep(0)
for _, message in ipairs(messages) do print(message) end
