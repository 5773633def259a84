-- fs: paths that try to leave, and odd names.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, path in ipairs({ "..", "../..", "a/../../b", "/../x" }) do
    try("exists " .. path, fs.exists, path)
    try("isDir " .. path, fs.isDir, path)
    try("list " .. path, fs.list, path)
    try("makeDir " .. path, fs.makeDir, path)
    try("delete " .. path, fs.delete, path)
end
for _, name in ipairs({ "with space", "dots..in..it", "UPPER", "a'b", "caf\u{E9}" }) do
    fs.open("probe/" .. name, "w").close()
end
print(fs.exists("probe/with space"), fs.exists("PROBE/upper"), fs.exists("probe/upper"))
print(#fs.list("probe"))
fs.delete("probe")
