-- A copy of a file that is larger than it looks ends with the time.
-- prints: Too long without yielding
local file = fs.open("/sparse", "w")
file.seek("set", 2 ^ 40)
file.write("x")
file.close()
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(fs.copy, "/sparse", "/copy")
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
fs.delete("/sparse")
fs.delete("/copy")
