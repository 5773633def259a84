-- fs.open: modes and errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(fs.open("none", "r"))
print(fs.open("none/deeper", "r"))
print(fs.open("rom", "r"))
print(fs.open("", "r"))
print(fs.open("rom", "w"))
fs.makeDir("probe")
print(fs.open("probe", "w"))
print(fs.open("probe", "a"))
fs.delete("probe")
print(fs.open("../x", "r"))
try("mode", fs.open, "x", "q")
try("empty mode", fs.open, "x", "")
try("rw", fs.open, "x", "rw")
try("path", fs.open)
try("mode type", fs.open, "x", 5)
print(fs.open("none", "r+"))
local file = fs.open("made/on/the/way.txt", "w")
print(file ~= nil)
file.close()
print(fs.exists("made/on/the/way.txt"))
fs.delete("made")
