-- Options of `debug.getinfo` are looked through.
-- prints: Too long without yielding
-- prints: soon
local long = ("S"):rep(5e7)
config.set("abortTimeout", 1000)
sleep(0)
local turns = 0
local ok, message = pcall(function()
    while true do
        turns = turns + 1
        debug.getinfo(1, long)
    end
end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
-- If the work did not count, a slice of instructions would be more turns.
print(turns < 1500 and "soon" or turns)
