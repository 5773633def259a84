-- string.find and match: positions, captures, anchors, plain.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(("hello world"):find("o w"))
print(("hello"):find("l", 1, true))
print(("hello"):find("l", -2))
print(("hello"):find("", 10))
print(("hello"):find("", 6))
print(("a.b"):find(".", 1, true))
print(("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
print(("  trim  "):match("^%s*(.-)%s*$") .. "|")
print(("2024-05-06"):match("(%d+)-(%d+)-(%d+)"))
print(("abc"):match("()b()"))
print(("[[x]]"):match("%[%[(.-)%]%]"))
print(("f(a(b)c)d"):match("%b()"))
print(("THE (quick) fox"):find("%((%a+)%)"))
print(("hello"):match("xyz"))
print(("x\0y"):find("\0"))
print(("foo.bar"):match("%f[%w]%w+$"))
try("malformed", string.find, "a", "[a")
try("ends with %", string.find, "a", "%")
try("unfinished capture", string.find, "a", "(a")
try("invalid capture", string.find, "a", "a)")
try("missing b", string.find, "a", "%b")
