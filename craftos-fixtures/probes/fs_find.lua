-- fs.find: wildcards.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

fs.delete("probe")
for _, name in ipairs({ "a.txt", "b.txt", "ab.lua", "sub/c.txt", "sub/d.lua", "sub2/c.txt", "x[1].txt", "p.q.r" }) do
    fs.open("probe/" .. name, "w").close()
end
for _, pattern in ipairs({
    "probe/*", "probe/*.txt", "probe/?.txt", "probe/*/c.txt", "probe/sub*/*", "probe/a*", "probe/x[1].txt", "probe/p.*.r",
    "probe/none", "probe", "probe/*/*/*", "probe/**", "probe/.", "*obe/a.txt",
}) do
    print(pattern, table.concat(fs.find(pattern), " "))
end
try("nil", fs.find)
fs.delete("probe")
