-- So does one across mounts.
-- prints: Too long without yielding
periphemu.create("left", "drive")
peripheral.call("left", "insertDisk", 1)
local file = fs.open("/sparse", "w")
file.seek("set", 2 ^ 40)
file.write("x")
file.close()
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(fs.move, "/sparse", "/disk/sparse")
sleep(0)
print((tostring(message):gsub("^.*: ", "")))
fs.delete("/sparse")
