-- string.gsub: replacements by text, table and function; limits.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(("hello world"):gsub("o", "0"))
print(("hello world"):gsub("o", "0", 1))
print(("hello"):gsub("", "-"))
print(("abc"):gsub("%w", "%0%0"))
print(("abc def"):gsub("(%w+) (%w+)", "%2 %1"))
print(("$name is $age"):gsub("%$(%w+)", { name = "Bob", age = 42 }))
print(("abc"):gsub("%w", function(c) if c == "b" then return "[b]" end end))
print(("abc"):gsub("b", false and "x" or "%%"))
print(("abc"):gsub("^a", "x"))
print(("aaa"):gsub("^a", "x"))
try("true", string.gsub, "abc", ".", { a = 1, b = true })
try("bad capture", string.gsub, "abc", "a", "%2")
try("bad value", string.gsub, "abc", "a", function() return {} end)
try("bad escape", string.gsub, "abc", "a", "%x")
try("bad type", string.gsub, "abc", "a")
