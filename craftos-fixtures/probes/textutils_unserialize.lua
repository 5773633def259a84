-- textutils.unserialize: what it reads and what not.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, text in ipairs({ "1", "{ 1, 2 }", "'text'", "nil", "true", "{ a = { b = 2 } }", "x", "print", "1 +", "", "{", "1, 2", "(function() return 5 end)()", "{ [1] = 'a', }", "0/0", "1/0", "--comment", "os.time()" }) do
    local value = textutils.unserialize(text)
    if type(value) == "table" then value = textutils.serialize(value, { compact = true }) end
    print(text, tostring(value):gsub("-?nan", "nan"))
end
try("nil", textutils.unserialize)
local original = { 1, "two", { three = 3 } }
local copy = textutils.unserialize(textutils.serialize(original))
print(copy[1], copy[2], copy[3].three)
