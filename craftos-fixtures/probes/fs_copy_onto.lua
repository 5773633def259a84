-- Copying and moving onto what is there: files and folders, into themselves, below files.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    print(label, pcall(f, ...))
end

local function write_file(path, text)
    local file = fs.open(path, "w")
    file.write(text or "x")
    file.close()
end

--- Prints all files below a folder, with their sizes.
local function show(folder)
    for _, name in ipairs(fs.list(folder)) do
        local path = fs.combine(folder, name)
        print("", path, fs.isDir(path) and "folder" or fs.getSize(path))
        if fs.isDir(path) then show(path) end
    end
end

fs.makeDir("/base")
local function path(name) return fs.combine("/base", name) end

write_file(path("file"))
fs.makeDir(path("dir"))
try("a file onto an empty folder", fs.copy, path("file"), path("dir"))
try("again", fs.copy, path("file"), path("dir"))
fs.makeDir(path("d2"))
write_file(path("d2/file"), "longer")
try("onto a folder that has such a file", fs.copy, path("d2/file"), path("dir"))
fs.makeDir(path("d3/file"))
try("onto a folder that has such a folder", fs.copy, path("file"), path("d3"))
try("a folder onto a folder", fs.copy, path("d2"), path("d3"))
try("with such a file", fs.copy, path("d2"), path("dir"))
try("a folder onto a file", fs.copy, path("d2"), path("file"))
show("/base")
for _, action in ipairs({ "copy", "move" }) do
    local act = fs[action]
    try(action .. " to its own folder", act, path("d2/file"), path("d2"))
    try(action .. " to a folder above", act, path("d2/file"), "/base")
    try(action .. " to the root", act, path("d2/file"), "/")
    try(action .. " a folder to itself", act, path("d2"), path("d2"))
    try(action .. " a folder into itself", act, path("d2"), path("d2/x"))
    try(action .. " a file to itself", act, path("file"), path("file"))
    try(action .. " below itself", act, path("file"), path("file/a"))
    try(action .. " below another file", act, path("d2/file"), path("file/a/b"))
    try(action .. " a folder below a file", act, path("d3"), path("file/a"))
    try(action .. " nothing", act, path("nope"), path("x"))
    try(action .. " nothing to itself", act, path("nope"), path("nope"))
    try(action .. " nothing below a file", act, path("nope"), path("file/a"))
    try(action .. " from below a file", act, path("file/a"), path("x"))
    try(action .. " into the ROM", act, path("file"), "/rom/x")
    try(action .. " deep", act, path("file"), path("k1/k2/" .. action))
    write_file(path("file"))
end
show("/base")
fs.delete("/base")
