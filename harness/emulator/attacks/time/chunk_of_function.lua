-- The name of a function's chunk is looked at with the function.
-- prints: Too long without yielding
-- prints: soon
local fn = load("--" .. ("x"):rep(5e7))
config.set("abortTimeout", 1000)
sleep(0)
local began = os.epoch("utc")
local ok, message = pcall(function()
    while true do
        debug.getinfo(fn, "u")
        debug.getinfo(fn, "S")
    end
end)
local took = os.epoch("utc") - began
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
print(took < 20000 and "soon" or took)
