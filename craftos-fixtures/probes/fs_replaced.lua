-- A program may replace functions of fs by its own, which take what the documentation says and no less.

local combine = fs.combine
fs.combine = function(path, part)
    if part == nil then error("fs.combine was called with one argument") end
    return combine(path, part)
end
print(#fs.find("rom/modules/main/cc/s*.lua"))
print(#fs.complete("ro", ""), fs.complete("prog", "rom")[1], #fs.complete("/rom/", ""))
print(pcall(fs.isDriveRoot, "rom"))
print(shell.resolve("a/b"), shell.resolveProgram("list"))
fs.combine = combine
