-- A name as long as its program is shown shortened in messages.
-- settings: {"memoryLimit": 134217728}
-- memory: 200 MiB
-- prints: true
-- prints: true
local name = ("x"):rep(2e7)
local call = assert(load(name .. "()"))
local ok, message = pcall(call)
print(not ok and #message < 10000)
call = nil
collectgarbage()
local fn, message = load("a = 1 " .. name .. " = = 1")
print(not fn and #message < 10000)
