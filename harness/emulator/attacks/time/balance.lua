-- A pattern that looks for the end of each bracket in turn takes the square of the text's length.
-- prints: Too long without yielding
local text = ("("):rep(4e6)
config.set("abortTimeout", 1000)
sleep(0)
local ok, message = pcall(string.find, text, "%b()")
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
