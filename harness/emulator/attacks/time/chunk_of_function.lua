-- The name of a function's chunk is looked at with the function.
-- prints: Too long without yielding
-- prints: soon
local fn = load("--" .. ("x"):rep(5e7))
config.set("abortTimeout", 1000)
sleep(0)
local turns = 0
local ok, message = pcall(function()
    while true do
        turns = turns + 1
        debug.getinfo(fn, "u")
        debug.getinfo(fn, "S")
    end
end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
-- If the work did not count, a slice of instructions would be more turns.
print(turns < 1000 and "soon" or turns)
