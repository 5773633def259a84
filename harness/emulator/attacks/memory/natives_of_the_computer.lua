-- Nor do natives of the computer copy what there is no room for.
-- settings: {"memoryLimit": 134217728}
-- memory: 165 MiB
-- prints: alive
local long = ("x"):rep(110000000)
for _, call in ipairs({
    function() return fs.open(long, "w") end,
    function() return fs.open("/x", long) end,
    function() return fs.exists(long) end,
    function() return fs.combine(long, "x") end,
    function() return fs.find(long) end,
    function() return fs.getName(long) end,
    function() return term.blit(long, long, long) end,
    function() return os.date(long) end,
    function() return os.time(long) end,
    function() return os.setComputerLabel(long) end,
    function() return peripheral.call(long, long) end,
    function() return periphemu.create(long, long) end,
    function() return redstone.setOutput(long, true) end,
    function() return config.set("clickableFilePath", long) end,
    function() return http.request(long) end,
    function() return http.checkURL(long) end,
    function() return fs.getCapacity(long) end,
}) do
    pcall(call)
end
print("alive")
