-- rep, reverse, sub, byte, char, upper: their edges.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(("ab"):rep(3), ("ab"):rep(0), ("ab"):rep(-1), ("ab"):rep(3, ","))
print(("hello"):sub(2, 3), ("hello"):sub(-3), ("hello"):sub(0), ("hello"):sub(4, 2), ("hello"):sub(-100, 100))
print(("abc"):byte(), ("abc"):byte(-1), ("abc"):byte(1, -1), ("abc"):byte(10))
print(string.char(72, 105), #string.char())
print(("Hello"):upper(), ("Hello"):lower(), ("Hello"):reverse(), ("Hello"):len())
print(#"\0\0", ("x"):rep(3, "") == "xxx")
print("\65\x42\z
      \u{43}")
try("char", string.char, 256)
try("char negative", string.char, -1)
try("rep", string.rep)
try("index", function() return ("x").y.z end)
try("concat nil", function() local t = {} return "a" .. t.x end)
