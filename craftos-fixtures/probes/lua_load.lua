-- load: environments, modes, names, readers.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(load("return 1 + 1")())
print(load("return x", "name", "t", { x = 5 })())
print(load("syntax error here"))
print(type(load("return", "=custom")))
print(load("x = ", "=custom"))
print(load("x = ", "@file.lua"))
print(load("x = ", "some text\nmore"))
local parts, index = { "return ", "4", "2" }, 0
print(load(function() index = index + 1 return parts[index] end)())
try("binary only", load, "return 1", "x", "b")
try("bad mode", load, "return 1", "x", "z")
try("not text", load, 5)
print(loadstring("return 7")())
print(type(loadstring("return ...")))
local chunk = load("local a, b = ... return b, a")
print(chunk(1, 2))
print(pcall(load, nil))
