-- A long replacement is copied.
-- prints: Too long without yielding
-- prints: soon
local long = ("y"):rep(5e7)
config.set("abortTimeout", 1000)
sleep(0)
local began = os.epoch("utc")
local ok, message = pcall(function()
    while true do
        ("x"):gsub("x", long)
    end
end)
local took = os.epoch("utc") - began
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
print(took < 20000 and "soon" or took)
