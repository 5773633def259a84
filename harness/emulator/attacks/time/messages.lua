-- Messages are copied.
-- prints: Too long without yielding
-- prints: soon
local long = ("x"):rep(3e7)
config.set("abortTimeout", 1000)
sleep(0)
local turns = 0
local ok, message = pcall(function()
    while true do
        turns = turns + 1
        pcall(error, long)
        pcall(assert, false, long)
        debug.traceback(long)
    end
end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
-- If the work did not count, a slice of instructions would be more turns.
print(turns < 800 and "soon" or turns)
