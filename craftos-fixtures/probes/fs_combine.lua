-- fs.combine, getName, getDir: paths only.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, parts in ipairs({
    { "a", "b" }, { "a/", "/b" }, { "", "a" }, { "a", "" }, { "/a", "../b" }, { "a/b", "../../c" }, { "a", "../../b" }, { "..", "a" },
    { "a/./b", "." }, { "a//b", "c" }, { "a\\b", "c" }, { "a b", "c?" }, { "", "" }, { "/", "/" }, { "a", "b", "c", "../d" }, { "rom/.", "x" },
    { "...", "x" }, { "a:b", "c*" }, { "a" }, { "./a" },
}) do
    print(table.concat(parts, " + "), "=", fs.combine(table.unpack(parts)))
end
for _, path in ipairs({ "a/b/c", "a", "", "/", "..", "a/..", "../a", "a/b/", "/a", "a\\b" }) do
    print(path, "name", fs.getName(path), "dir", fs.getDir(path))
end
try("combine", fs.combine)
try("combine 2", fs.combine, "a", 5)
try("name", fs.getName)
try("dir", fs.getDir, {})
