-- The order of two long texts is found by looking through them, which counts.
-- prints: Too long without yielding
-- prints: soon
local a, b = ("x"):rep(1e8) .. "a", ("x"):rep(1e8)
config.set("abortTimeout", 1000)
sleep(0)
local turns = 0
local ok, message = pcall(function()
    while true do
        turns = turns + 1
        local _ = a < b
    end
end)
sleep(0)
print((message:gsub("^.*: ", "")))
-- If the work did not count, a slice of instructions would be more turns.
print(turns < 3000 and "soon" or turns)
