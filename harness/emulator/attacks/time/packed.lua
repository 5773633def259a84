-- Texts that are packed and unpacked are copied.
-- prints: Too long without yielding
-- prints: soon
config.set("abortTimeout", 1000)
sleep(0)
local began = os.epoch("utc")
local ok, message = pcall(function()
    while true do
        string.unpack("c50000000", (string.pack("c50000000", "")))
    end
end)
local took = os.epoch("utc") - began
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
print(took < 20000 and "soon" or took)
