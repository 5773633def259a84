-- What is no code of a text is passed.
-- prints: Too long without yielding
-- prints: soon
local long = "x" .. ("\128"):rep(5e7) .. "y"
local step = utf8.codes(long)
config.set("abortTimeout", 1000)
sleep(0)
local began = os.epoch("utc")
local ok, message = pcall(function()
    while true do
        step(long, 1)
    end
end)
local took = os.epoch("utc") - began
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
print(took < 20000 and "soon" or took)
