-- disk with no drive.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, name in ipairs({ "isPresent", "getLabel", "hasData", "getMountPath", "hasAudio", "getAudioTitle", "getID", "eject", "setLabel" }) do
    try(name, disk[name], "left")
    try(name .. " nil", disk[name])
end
