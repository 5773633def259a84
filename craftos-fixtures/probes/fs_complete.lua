-- fs.complete: files and folders, options.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

fs.delete("probe")
for _, name in ipairs({ "alpha.txt", "alps/x", "beta", ".hidden" }) do fs.open("probe/" .. name, "w").close() end
local function show(...)
    local arguments = table.pack(...)
    for index = 1, arguments.n do arguments[index] = type(arguments[index]) == "table" and "options" or tostring(arguments[index]) end
    print(table.concat(arguments, " "), "=", table.concat(fs.complete(...), "|"))
end
show("al", "probe")
show("al", "probe", true, false)
show("al", "probe", false, true)
show("", "probe")
show("", "probe", true, false)
show("b", "probe")
show("beta", "probe")
show("alps", "probe")
show("alps/", "probe")
show("../pro", "probe/alps")
show("/probe/a", "rom")
show("x", "probe")
show("", "none")
show(".", "probe")
show("..", "probe")
show("", "probe", { include_hidden = false })
show(".h", "probe", { include_hidden = false })
show("", "probe", { include_files = false, include_dirs = true })
try("path", fs.complete)
try("location", fs.complete, "")
try("files", fs.complete, "", "", 5)
try("option", fs.complete, "", "", { include_hidden = 5 })
fs.delete("probe")
