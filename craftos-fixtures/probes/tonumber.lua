-- tonumber: forms and bases.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, text in ipairs({ "10", " 10 ", "1e3", "0x1F", "0x", "1e", "", " ", "10abc", ".5", "5.", "-7", "- 7", "0x1p4", "0x.8", "inf", "nan", "1_000", "\t1\n" }) do
    print(("%q"):format(text):gsub("\n", "n"), tonumber(text))
end
print(tonumber("ff", 16), tonumber("zz", 36), tonumber("8", 8), tonumber("-ff", 16), tonumber("1.5", 10), tonumber("11", 2))
print(tonumber(nil), tonumber({}), tonumber(true))
try("base 1", tonumber, "1", 1)
try("base 37", tonumber, "1", 37)
try("number with base", tonumber, 10, 16)
try("nothing", tonumber)
