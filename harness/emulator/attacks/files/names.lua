-- Names of any bytes are files or refused.
-- prints: alive
for _, name in ipairs({ ("x"):rep(5000), "\0", "a\0b", "\255\254", "CON", "NUL", "a:b", "*", "?", "a/", ".", "..", "", " ", "~" }) do
    local ok, file = pcall(fs.open, "/" .. name, "w")
    if ok and file then file.close() end
    pcall(fs.makeDir, "/d" .. name)
    pcall(fs.list, "/" .. name)
    pcall(fs.getSize, "/" .. name)
end
print("alive")
