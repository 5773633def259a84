-- Nor is one that leads to a folder.
-- prints: false	nil	false
print((pcall(fs.list, "/link-to-folder")), (fs.open("/link-to-folder/new", "w")), (pcall(fs.makeDir, "/link-to-folder/made")))
