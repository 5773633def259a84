-- What a link leads to is not deleted.
-- prints: true
pcall(fs.delete, "/link-to-folder/outside")
pcall(fs.delete, "/link-to-folder")
print(not fs.exists("/link-to-folder/outside"))
