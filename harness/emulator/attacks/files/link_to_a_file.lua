-- A link that leads out of the folder is not followed.
-- prints: nil	false
local file = fs.open("/link-to-file", "r")
print(file, (pcall(fs.copy, "/link-to-file", "/copied")))
