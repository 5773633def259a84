-- io.input, output, read, write on files.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local previous_input, previous_output = io.input(), io.output()
io.output("probe.txt")
print(io.write("alpha\n", "beta\n") == io.output())
io.close()
io.output(previous_output)
io.input("probe.txt")
print(io.read(), io.read("*a"))
io.close(io.input())
io.input(previous_input)
print(io.input() == io.stdin, io.output() == io.stdout, io.type(io.stderr))
local collected = {}
for line in io.lines("probe.txt", "L") do collected[#collected + 1] = #line end
print(table.concat(collected, " "))
for a, b in io.lines("probe.txt", 1, 2) do print(a, b) break end
try("input", io.input, "none")
try("output", io.output, "rom/x")
try("output type", io.output, 5)
try("close type", io.close, 5)
try("close stdin", io.close, io.stdin)
print(io.stdin:close())
print(io.type(5), io.type({}), io.type(nil))
fs.delete("probe.txt")
