-- Hooks that set hooks are hooks.
-- prints: alive
local depth = 0
local function hook()
    depth = depth + 1
    if depth < 1000 then debug.sethook(hook, "crl", 1) end
end
debug.sethook(hook, "crl", 1)
for _ = 1, 2000 do local _ = 1 end
debug.sethook()
print("alive")
