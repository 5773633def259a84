-- Events that a computer queues for itself count as its memory.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	not enough memory
local ok, message = pcall(function() for i = 1, 1e9 do os.queueEvent("x" .. i, ("x"):rep(1e4) .. i) end end)
print(ok, message)
