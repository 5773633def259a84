-- Paths of any length are files or refused.
-- prints: alive
local path = ("/a"):rep(100000)
for _, name in ipairs({ "exists", "isDir", "makeDir", "getSize", "list", "delete", "getDir", "getName", "attributes", "find" }) do
    config.set("abortTimeout", 300)
    sleep(0)
    pcall(fs[name], path)
    sleep(0)
end
pcall(fs.combine, path, path)
print("alive")
