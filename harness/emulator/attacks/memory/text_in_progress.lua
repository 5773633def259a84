-- Texts whose writing never ends are not kept for ever.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- error: the end
local blocked = setmetatable({ write = function() coroutine.yield() end }, { __index = term.current() })
local before = term.redirect(blocked)
for _ = 1, 100 do
    local co = coroutine.create(write)
    coroutine.resume(co, ("x"):rep(4e6))
    sleep(0)
end
term.redirect(before)
collectgarbage()
error("the end", 0)
