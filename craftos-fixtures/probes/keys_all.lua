-- The numbers of all keys.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local lines = {}
for name, number in pairs(keys) do
    if type(number) == "number" then lines[#lines + 1] = name .. "=" .. number end
end
table.sort(lines)
for _, line in ipairs(lines) do print(line) end
for _, number in ipairs({ 0, 1, 2, 28, 42, 57, 200, 255 }) do print(number, keys.getName(number)) end
try("text", keys.getName, "a")
