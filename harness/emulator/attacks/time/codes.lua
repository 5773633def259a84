-- What is no code of a text is passed.
-- prints: Too long without yielding
-- prints: soon
local long = "x" .. ("\128"):rep(5e7) .. "y"
local step = utf8.codes(long)
config.set("abortTimeout", 1000)
sleep(0)
local turns = 0
local ok, message = pcall(function()
    while true do
        turns = turns + 1
        step(long, 1)
    end
end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
-- If the work did not count, a slice of instructions would be more turns.
print(turns < 2000 and "soon" or turns)
