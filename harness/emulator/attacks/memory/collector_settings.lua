-- No setting of the collector makes the computer take more.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
for _, option in ipairs({ "stop", "setpause", "setstepmul", "step", "generational", "incremental" }) do
    for _, number in ipairs({ 0, -1, 2 ^ 31 - 1, -2 ^ 31, 1e300, 0 / 0 }) do pcall(collectgarbage, option, number) end
end
collectgarbage("stop")
pcall(function()
    local t = {}
    for i = 1, 1e6 do t = { i, ("x"):rep(100) .. i } end
end)
collectgarbage("restart")
collectgarbage()
print("alive")
