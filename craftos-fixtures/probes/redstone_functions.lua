-- redstone: outputs, errors, sides.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(table.concat(redstone.getSides(), " "), rs == redstone)
redstone.setOutput("left", true)
print(redstone.getOutput("left"), redstone.getAnalogOutput("left"), redstone.getInput("left"), redstone.getAnalogInput("left"))
redstone.setAnalogOutput("left", 7)
print(redstone.getOutput("left"), redstone.getAnalogueOutput("left"))
redstone.setOutput("left", false)
print(redstone.getAnalogOutput("left"))
redstone.setBundledOutput("back", colors.combine(colors.red, colors.blue))
print(redstone.getBundledOutput("back"), redstone.getBundledInput("back"))
try("side", redstone.getInput, "nowhere")
try("nil", redstone.getInput)
try("range", redstone.setAnalogOutput, "left", 16)
try("negative", redstone.setAnalogOutput, "left", -1)
try("text", redstone.setAnalogOutput, "left", "x")
try("value", redstone.setOutput, "left", 5)
try("bundled", redstone.setBundledOutput, "left", "x")
try("capital", redstone.getInput, "LEFT")
