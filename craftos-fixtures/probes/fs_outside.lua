-- Paths that leave the root, and paths below files.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    print(label, pcall(f, ...))
end

local function write_file(path, text)
    local file = fs.open(path, "w")
    file.write(text or "x")
    file.close()
end

--- A number of bytes is another one on each machine.
local function kind_of(name)
    return function(path) return type(fs[name](path)) end
end

for _, path in ipairs({
    "", "a", "a/b", "rom", "rom/..", "rom/../rom", "..", "../..", "../rom", "../a", "../../rom", "a/../..", "rom/../..",
    "dir/../../rom", "x/../../..", "...",
}) do
    for _, name in ipairs({ "getDrive", "isDriveRoot", "isReadOnly", "getDir", "getName", "exists", "isDir" }) do
        try(name .. " " .. path, fs[name], path)
    end
    try("getFreeSpace " .. path, kind_of("getFreeSpace"), path)
    try("getCapacity " .. path, kind_of("getCapacity"), path)
end

write_file("/file")
for _, path in ipairs({ "/file/a", "/file/a/b", "/rom/startup.lua/x" }) do
    for _, name in ipairs({ "list", "getSize", "attributes", "exists", "isDir", "makeDir", "delete" }) do
        try(name .. " " .. path, fs[name], path)
    end
    for _, mode in ipairs({ "r", "w", "a", "r+", "w+", "rb", "wb", "ab" }) do
        try("open " .. path .. " " .. mode, fs.open, path, mode)
    end
end
fs.delete("/file")
try("delete the root", fs.delete, "/")
