-- Labels of computers.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

os.setComputerLabel("probe")
print(os.getComputerLabel(), os.computerLabel())
os.setComputerLabel("")
print(os.getComputerLabel())
os.setComputerLabel(nil)
print(os.getComputerLabel(), select("#", os.getComputerLabel()))
try("number", os.setComputerLabel, 5)
print(os.getComputerID(), os.computerID())
