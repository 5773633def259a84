-- A handle that was closed is of no use.
-- prints: false	false	false
local file = fs.open("/x", "w")
file.close()
print((pcall(file.write, "x")), (pcall(file.flush)), (pcall(file.close)))
