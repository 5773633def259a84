-- Coroutines in coroutines.
-- prints: alive
local function again() return coroutine.wrap(again)() end
pcall(again)
local function resumed() return coroutine.resume(coroutine.create(resumed)) end
resumed()
print("alive")
