-- Folders in folders are made and deleted.
-- prints: false
for depth = 1, 150 do if not pcall(fs.makeDir, ("/deep"):rep(depth)) then break end end
pcall(fs.copy, "/deep", "/other")
fs.delete("/deep")
print(fs.exists("/deep"))
