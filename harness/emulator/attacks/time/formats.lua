-- A format without directives is a text that is copied.
-- prints: Too long without yielding
-- prints: soon
local long = ("x"):rep(5e7)
config.set("abortTimeout", 1000)
sleep(0)
local began = os.epoch("utc")
local ok, message = pcall(function()
    while true do
        string.format(long)
    end
end)
local took = os.epoch("utc") - began
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
print(took < 20000 and "soon" or took)
