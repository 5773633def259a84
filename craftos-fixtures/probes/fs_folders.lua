-- fs: making, listing, moving, copying, deleting.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

fs.delete("probe")
fs.makeDir("probe/a/b")
print(fs.exists("probe/a"), fs.isDir("probe/a/b"), fs.isDir("probe/none"), fs.exists("probe/none"))
fs.open("probe/file.txt", "w").close()
print(table.concat(fs.list("probe"), " "))
fs.makeDir("probe/a")
fs.copy("probe/file.txt", "probe/copy.txt")
fs.move("probe/file.txt", "probe/a/moved.txt")
print(table.concat(fs.list("probe"), " "), table.concat(fs.list("probe/a"), " "))
fs.copy("probe/a", "probe/c")
print(table.concat(fs.list("probe/c"), " "))
fs.delete("probe/c")
print(fs.exists("probe/c"))
fs.delete("probe/none")
try("list file", fs.list, "probe/copy.txt")
try("list none", fs.list, "probe/none")
try("makeDir file", fs.makeDir, "probe/copy.txt")
try("makeDir below file", fs.makeDir, "probe/copy.txt/x")
try("copy none", fs.copy, "probe/none", "probe/x")
try("copy onto a file", fs.copy, "probe/copy.txt", "probe/a/moved.txt")
try("copy into itself", fs.copy, "probe/a", "probe/a/x")
try("move none", fs.move, "probe/none", "probe/x")
try("move exists", fs.move, "probe/copy.txt", "probe/a")
try("move into itself", fs.move, "probe/a", "probe/a/x")
fs.delete("probe")
print(fs.exists("probe"))
