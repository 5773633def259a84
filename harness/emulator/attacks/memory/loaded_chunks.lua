-- Chunks that are loaded count as memory.
-- settings: {"memoryLimit": 16777216}
-- memory: 140 MiB
-- prints: false	not enough memory
local kept = {}
local ok, message = pcall(function()
    for i = 1, 1e9 do kept[i] = assert(load("local x = " .. i .. (" x = x + 1"):rep(100))) end
end)
kept = nil
collectgarbage()
print(ok, (message:gsub("^.*: ", "")))
