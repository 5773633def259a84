-- Texts that are packed and unpacked are copied.
-- prints: Too long without yielding
-- prints: soon
config.set("abortTimeout", 1000)
sleep(0)
local turns = 0
local ok, message = pcall(function()
    while true do
        turns = turns + 1
        string.unpack("c50000000", (string.pack("c50000000", "")))
    end
end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
-- If the work did not count, a slice of instructions would be more turns.
print(turns < 1000 and "soon" or turns)
