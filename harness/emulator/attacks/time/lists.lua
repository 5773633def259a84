-- A folder of many files is listed again and again until the time is up.
-- prints: false	Too long without yielding
-- prints: false	Too long without yielding
for i = 1, 2000 do
    fs.makeDir("/many/" .. i)
    if i % 50 == 0 then sleep(0) end
end
config.set("abortTimeout", 1000)
sleep(0)
local function last(message) return (tostring(message):gsub("^.*: ", "")) end
local ok, message = pcall(function() while true do fs.list("/many") end end)
sleep(0)
print(ok, last(message))
ok, message = pcall(function() while true do fs.find("/many/*1*") end end)
sleep(0)
print(ok, last(message))
