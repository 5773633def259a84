-- A pattern that would never end is stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local text = ("a"):rep(40)
local ok, message = pcall(string.find, text, ("a?"):rep(40) .. text .. "b")
sleep(0)
print((message:gsub("^.*: ", "")))
